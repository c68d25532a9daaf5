import { type EcosystemId, ecosystemIds } from './ecosystem-id.ts';
import { ecosystems } from './registry.ts';

/** Reads `NPM`, `npm`, `Maven`, …; null for anything else. */
export function ecosystemFromWire(text: string): EcosystemId | null {
  return idByWireName.get(text.toLowerCase()) ?? null;
}

/** Reads an OSV `package.ecosystem` such as `npm` or `Debian:12`; null when the packages are none of ours. */
export function ecosystemFromOsv(text: string): EcosystemId | null {
  const colon = text.indexOf(':');
  return idByOsvName.get(colon === -1 ? text : text.slice(0, colon)) ?? null;
}

const idByWireName = new Map(ecosystemIds.map((id) => [ecosystems[id].wireName.toLowerCase(), id]));
const idByOsvName = new Map(ecosystemIds.flatMap((id) => ecosystems[id].osvNames.map((name) => [name, id] as const)));
