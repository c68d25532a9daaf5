import { type Fix, fixSchema } from '@sealsmith/contract';
import { expect, vi } from 'vitest';
import type { Api } from '../support/api-client.ts';
import { listFixes } from './checks.ts';
import type { CrashPackage } from './crash-catalog.ts';
import { type Ledger, recordFix } from './ledger.ts';

const endTimeoutMs = 90_000;
const asksMax = 5;
/** Said of a fix whose worker was killed three times. */
const gaveUp = /^The worker ended before the build was done/;

/**
 * Waits until no fix is under way. One that was given up is asked for again, as its owner would do.
 * @returns how many were asked for again
 */
export async function endFixes(api: Api, ledger: Ledger): Promise<number> {
  let askedAgain = 0;
  for (let asks = 0; asks < asksMax; asks++) {
    const lost = (await newestWhenEnded(api)).filter(isGivenUp);
    if (lost.length === 0) return askedAgain;
    for (const { ecosystem, package_name, vulnerable_version } of lost) {
      const body = { ecosystem, package_name, vulnerable_version };
      const { status, json } = await api('POST', '/generate-fix', { body });
      expect(status).toBe(202);
      recordFix(ledger, fixSchema.parse(json));
      askedAgain += 1;
    }
  }
  throw new Error(`fixes are given up after they were asked for ${asksMax} times, with nobody killing`);
}

/** Whatever was accepted is sealed, or called unfixable where nothing can seal it. @returns how many versions are sealed */
export async function checkFixEnds(api: Api, { fixes }: Ledger, packages: readonly CrashPackage[]): Promise<number> {
  const newest = await newestWhenEnded(api);
  const fixable = new Set(
    packages.flatMap(({ name, fixable: versions }) => versions.map((version) => `${name} ${version}`)),
  );
  const expected = newest.map((fix) => [keyOf(fix), fixable.has(keyOf(fix)) ? 'succeeded' : 'unfixable']);
  expect(newest.map((fix) => [keyOf(fix), fix.status])).toEqual(expected);
  const ended = new Set(newest.map(keyOf));
  const accepted = [...fixes.values()].map(({ packageName, version }) => `${packageName} ${version}`);
  expect(accepted.filter((key) => !ended.has(key))).toEqual([]);
  return newest.filter(({ status }) => status === 'succeeded').length;
}

/** The newest fix of every version, once none is under way. */
function newestWhenEnded(api: Api): Promise<Fix[]> {
  const look = async () => {
    const fixes = await listFixes(api);
    expect(fixes.filter(({ status }) => status === 'queued' || status === 'building')).toEqual([]);
    return [...new Map(fixes.toReversed().map((fix) => [keyOf(fix), fix])).values()];
  };
  return vi.waitFor(look, { timeout: endTimeoutMs, interval: 200 });
}

function isGivenUp({ status, reason }: Fix): boolean {
  return status === 'failed' && gaveUp.test(reason ?? '');
}

function keyOf({ package_name, vulnerable_version }: Fix): string {
  return `${package_name} ${vulnerable_version}`;
}
