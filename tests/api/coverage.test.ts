import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type Endpoint, endpoints, errorsOf } from '@sealsmith/contract';
import { expect, test } from 'vitest';
import { commonCodes } from '../support/common-codes.ts';

/** `covers('listProjects', 200, …)` in the sources; what is claimed there is checked when the test runs. */
const claimPattern = /\bcovers\(\s*'(\w+)',\s*(?:'(\w+)'|(\d{3})),/g;

function claims(): Set<string> {
  const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.test.ts'));
  const sources = files.map((name) => readFileSync(path.join(import.meta.dirname, name), 'utf8'));
  const found = sources.flatMap((source) => [...source.matchAll(claimPattern)]);
  return new Set(found.map(([, endpoint, code, status]) => `${endpoint} ${code ?? status}`));
}

test('every status and code that the contract lists for an endpoint has a test over HTTP', () => {
  const claimed = claims();
  const missing = (Object.values(endpoints) as Endpoint[]).flatMap((endpoint) => {
    const refusals = errorsOf(endpoint).filter((code) => !commonCodes.some((common) => common === code));
    const outcomes = [...Object.keys(endpoint.responses), ...refusals];
    return outcomes.map((outcome) => `${endpoint.id} ${outcome}`).filter((listed) => !claimed.has(listed));
  });
  expect(missing).toEqual([]);
});

test('the sources are read as they are written', () => {
  expect(claims()).toContain('listSealingRules 200');
  expect(claims()).toContain('listSealingRules invalid_cursor');
});
