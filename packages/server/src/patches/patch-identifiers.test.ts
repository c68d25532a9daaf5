import { expect, test } from 'vitest';
import { readPatchIdentifiers } from './patch-identifiers.ts';

const fileName = '0001-CVE-2020-0001-and-more.patch';

test('every identifier in the list of the message is read, and the file name adds nothing', () => {
  const message =
    'Hotfix\n\nThis patch fixes:\n  CVE-2021-1234\n  - SNYK-JS-LODASH-608086\n  ACME-2021:77\n\nFor more:\n  1. https://example.org';
  expect(readPatchIdentifiers(message, fileName)).toEqual(['CVE-2021-1234', 'SNYK-JS-LODASH-608086', 'ACME-2021:77']);
});

test('without a list, identifiers are read from the sentences, once each and in their common spelling', () => {
  const message = 'Closes cve-2021-1234 (CVE-2021-1234), ghsa-36JR-mh4h-2g58 and PYSEC-2023-12.';
  expect(readPatchIdentifiers(message, fileName)).toEqual(['CVE-2021-1234', 'GHSA-36jr-mh4h-2g58', 'PYSEC-2023-12']);
});

test('only a message without any leaves the word to the file name', () => {
  expect(readPatchIdentifiers('Some words', fileName)).toEqual(['CVE-2020-0001']);
  expect(readPatchIdentifiers('', '0002-GHSA-36jr-mh4h-2g58.patch')).toEqual(['GHSA-36jr-mh4h-2g58']);
  expect(readPatchIdentifiers('', '0002-SNYK-JS-MERGE-1040469.patch')).toEqual(['SNYK-JS-MERGE-1040469']);
  expect(readPatchIdentifiers('', '0003-tidy-up.patch')).toEqual([]);
});
