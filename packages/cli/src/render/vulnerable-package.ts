import type { VulnerablePackage } from '@sealsmith/contract';

/** `CVE-2022-29078 (critical), CVE-2024-33883 (medium, sealed)` */
export function severitiesOf({ vulnerabilities }: VulnerablePackage): string {
  return vulnerabilities
    .map(({ identifier, severity, state }) => `${identifier} (${severity}${state === 'sealed' ? ', sealed' : ''})`)
    .join(', ');
}
