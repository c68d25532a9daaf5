import type { Fix, ResolvedPackage, SealingRule, Vulnerability, VulnerablePackage } from '@sealsmith/contract';

const now = '2026-11-21T13:45:07.123Z';

export function sampleRule(fields: Partial<SealingRule> = {}): SealingRule {
  return {
    project_name: '<ANY>',
    vulnerable_package_name: 'ejs',
    vulnerable_package_version: '2.7.4',
    sealed_package_name: 'ejs',
    sealed_package_version: '<SAFEST>',
    created_on: now,
    ...fields,
  };
}

export function sampleVulnerability(fields: Partial<Vulnerability> = {}): Vulnerability {
  return {
    identifier: 'CVE-2022-29078',
    aliases: ['GHSA-phwq-j96m-2c2q'],
    severity: 'critical',
    cvss_score: 9.8,
    state: 'open',
    sealed_by: '2.7.4-sp1',
    ...fields,
  };
}

export function samplePackage(fields: Partial<VulnerablePackage> = {}): VulnerablePackage {
  return {
    package_name: 'ejs',
    package_version: '2.7.4',
    ecosystem: 'NPM',
    project_name: 'shop',
    fix_availability: 'seal_available',
    sealed_package_name: 'ejs',
    sealed_package_version: '2.7.4-sp1',
    vulnerabilities: [sampleVulnerability()],
    is_hidden: false,
    access_token_role: 'Production',
    first_seen_on: now,
    last_seen_on: now,
    ...fields,
  };
}

export function sampleScan(packages: VulnerablePackage[]) {
  return {
    id: 'scan_1',
    project_name: 'shop',
    source: 'package-lock.json',
    format: 'package_lock' as const,
    package_count: 6,
    vulnerable_package_count: packages.length,
    created_on: now,
    vulnerable_packages: packages,
    problems: [],
  };
}

export function sampleFix(fields: Partial<Fix> = {}): Fix {
  return {
    id: 'fix_1',
    ecosystem: 'NPM',
    package_name: 'ejs',
    vulnerable_version: '2.7.4',
    vulnerability_identifiers: [],
    status: 'queued',
    reason: null,
    sealed_package_name: null,
    sealed_package_version: null,
    vulnerabilities: [],
    created_on: now,
    updated_on: now,
    ...fields,
  };
}

export function sampleIntegrity(letter: string): string {
  return `sha512-${letter.repeat(86)}==`;
}

/** What the service answers for one package version. */
export function sampleOutcome(name: string, version: string, fields: Partial<ResolvedPackage> = {}): ResolvedPackage {
  return {
    ecosystem: 'NPM',
    package_name: name,
    package_version: version,
    outcome: 'no_rule',
    sealed_package_name: null,
    sealed_package_version: null,
    reason: 'No rule matches.',
    rule: null,
    rule_is_draft: false,
    losing_rules: [],
    artifact: null,
    ...fields,
  };
}

export function sealedOutcome(
  name: string,
  version: string,
  { serverUrl, iteration = 1 }: { serverUrl: string; iteration?: number },
): ResolvedPackage {
  const sealedVersion = `${version}-sp${iteration}`;
  return sampleOutcome(name, version, {
    outcome: 'sealed',
    sealed_package_name: name,
    sealed_package_version: sealedVersion,
    reason: 'A rule leads to it.',
    rule: sampleRule({ vulnerable_package_name: name, vulnerable_package_version: version }),
    artifact: {
      url: `${serverUrl}/artifacts/npm/${name}/-/${name.replace(/^.*\//, '')}-${sealedVersion}.tgz`,
      integrity: sampleIntegrity('ABCDEFGHIJ'.charAt(iteration)),
      size_bytes: 1234,
    },
  });
}
