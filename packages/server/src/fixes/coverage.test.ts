import { expect, test } from 'vitest';
import { coverageOf, findByName, missingIdentifiers } from './coverage.ts';
import { otherVulnerability, templateVulnerability } from './testing/catalog.ts';

const known = [otherVulnerability, templateVulnerability];

test('a patch that names one alias closes the vulnerability under all its names', () => {
  expect(coverageOf(['ghsa-2222-3333-4444'], known)).toEqual({
    identifiers: ['CVE-2026-1000', 'GHSA-2222-3333-4444'],
    vulnerabilities: ['CVE-2026-1000'],
    closesKnown: true,
  });
});

test('what is named and not on record is kept, but closes nothing known', () => {
  expect(coverageOf(['CVE-1999-0001', 'cve-1999-0001'], known)).toEqual({
    identifiers: ['CVE-1999-0001'],
    vulnerabilities: ['CVE-1999-0001'],
    closesKnown: false,
  });
});

test('identifiers are compared without regard to case', () => {
  expect(missingIdentifiers(['cve-2026-1000', 'CVE-2026-2000'], ['CVE-2026-1000'])).toEqual(['CVE-2026-2000']);
  expect(findByName(known, 'GHSA-2222-3333-4444'.toLowerCase())).toBe(templateVulnerability);
  expect(findByName(known, 'CVE-2026-100')).toBeUndefined();
});
