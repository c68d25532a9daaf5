import { readdirSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  compareIterations,
  compareVersions,
  ecosystemFromOsv,
  ecosystemFromWire,
  ecosystemIds,
  ecosystems,
  fromPurl,
  InvalidNameError,
  InvalidVersionError,
  isVersion,
  iterationMax,
  normalizeName,
  originVersionOf,
  parseSealedVersion,
  parseVersion,
  purlOf,
  sealedVersionOf,
  UnsupportedEcosystemError,
} from './index.ts';

const samples = {
  npm: {
    name: '@babel/core',
    purl: 'pkg:npm/%40babel/core@1.2.3',
    version: '1.2.3',
    sealed: ['1.2.3-sp1', '1.2.3-sp.12'],
  },
  pypi: {
    name: 'zope-interface',
    purl: 'pkg:pypi/zope-interface@1.2.3',
    version: '1.2.3',
    sealed: ['1.2.3+sp1', '1.2.3+sp.12'],
  },
  maven: {
    name: 'org.x:core',
    purl: 'pkg:maven/org.x/core@2.17.0',
    version: '2.17.0',
    sealed: ['2.17.0+sp1', '2.17.0+sp12'],
  },
  rpm: {
    name: 'ImageMagick-c++',
    purl: 'pkg:rpm/ImageMagick-c%2B%2B@1.2-4.el9?epoch=1',
    version: '1:1.2-4.el9',
    sealed: ['1:1.2-4.el9+sp1', '1:1.2-4.el9+sp12'],
  },
  deb: {
    name: 'libssl3',
    purl: 'pkg:deb/libssl3@3.0.1-1',
    version: '3.0.1-1',
    sealed: ['3.0.1-1+~sp1', '3.0.1-1+~sp12'],
  },
  apk: {
    name: 'openssl',
    purl: 'pkg:apk/openssl@3.1.4-r5',
    version: '3.1.4-r5',
    sealed: ['3.1.4-r5001', '3.1.4-r5012'],
  },
} as const;

test('a folder stands for every ecosystem and for nothing else', () => {
  const folders = readdirSync(new URL('.', import.meta.url), { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );
  expect(folders.map(({ name }) => name).sort()).toEqual([...ecosystemIds].sort());
  expect(Object.keys(ecosystems).sort()).toEqual([...ecosystemIds].sort());
});

test('no two ecosystems share a wire name, an OSV name or a purl type', () => {
  const all = Object.values(ecosystems);
  for (const names of [
    all.map((e) => e.wireName.toLowerCase()),
    all.flatMap((e) => e.osvNames),
    all.map((e) => e.purlType),
  ]) {
    expect(new Set(names).size).toBe(names.length);
  }
  expect(all.map((e) => e.wireName)).toEqual(['NPM', 'PyPI', 'Maven', 'RPM', 'DEB', 'APK']);
});

test('a foreign ecosystem is null, never a guess', () => {
  for (const text of ['', 'gem', 'npm ', '__proto__', 'constructor']) expect(ecosystemFromWire(text)).toBeNull();
  for (const text of ['', 'RubyGems', 'NPM', 'debian', ':12', '__proto__']) expect(ecosystemFromOsv(text)).toBeNull();
  expect(ecosystemFromOsv('Debian:12')).toBe('deb');
  expect(ecosystemFromOsv('Rocky Linux:9')).toBe('rpm');
});

test('iterations are ordered as numbers', () => {
  expect([compareIterations(9, 10), compareIterations(10, 9), compareIterations(10, 10)]).toEqual([-1, 1, 0]);
});

describe.each(ecosystemIds)('%s', (id) => {
  const ecosystem = ecosystems[id];
  const sample = samples[id];

  test('knows its id, and is found by its wire name in any case and by each OSV name', () => {
    expect(ecosystem.id).toBe(id);
    for (const text of [ecosystem.wireName, ecosystem.wireName.toLowerCase(), ecosystem.wireName.toUpperCase()]) {
      expect(ecosystemFromWire(text)).toBe(id);
    }
    expect(ecosystem.osvNames.length).toBeGreaterThan(0);
    for (const name of ecosystem.osvNames)
      expect([ecosystemFromOsv(name), ecosystemFromOsv(`${name}:1`)]).toEqual([id, id]);
  });

  test('says in a full sentence what it does not support', () => {
    for (const part of [ecosystem.versions, ecosystem.manifests]) {
      if (!part.supported) expect(part.reason).toMatch(/^[A-Z].{30,}\.$/);
    }
  });

  test('orders versions, or refuses to in words instead of guessing', () => {
    if (ecosystem.versions.supported) {
      expect(compareVersions(id, sample.version, sample.version)).toBe(0);
      expect(parseVersion(id, sample.version).text).toBe(sample.version);
      expect([isVersion(id, sample.version), isVersion(id, ''), isVersion(id, '<ANY>')]).toEqual([true, false, false]);
      return;
    }
    expect(() => compareVersions(id, sample.version, sample.version)).toThrow(UnsupportedEcosystemError);
    expect(() => parseVersion(id, sample.version)).toThrow(UnsupportedEcosystemError);
    expect(() => isVersion(id, sample.version)).toThrow(ecosystem.versions.reason);
  });

  test('normalising a name twice changes nothing more, and a sentinel or a path is no name', () => {
    expect(normalizeName(id, sample.name)).toBe(sample.name);
    for (const name of ['', '<ANY>', '../x', 'a/../b', 'a b', 'a\n', 'a%2f', 'x'.repeat(513)]) {
      expect(() => normalizeName(id, name)).toThrow(InvalidNameError);
    }
  });

  test('a package goes into a package URL and comes back, with and without a version', () => {
    const { name, version } = sample;
    expect(purlOf({ ecosystem: id, name, version })).toBe(sample.purl);
    for (const each of [version, null, sample.sealed[1]]) {
      const described = { ecosystem: id, name, version: each };
      expect(fromPurl(purlOf(described))).toEqual(described);
    }
  });

  test('spells sealed versions as decided', () => {
    const [first, twelfth] = sample.sealed;
    expect([sealedVersionOf(id, sample.version, 1), sealedVersionOf(id, sample.version, 12)]).toEqual([first, twelfth]);
    expect(originVersionOf(id, twelfth)).toBe(sample.version);
    expect(originVersionOf(id, sample.version)).toBe(sample.version);
  });

  test('every iteration of a seal reads back, below and above ten', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 999 }), (iteration) => {
        const sealed = sealedVersionOf(id, sample.version, iteration);
        expect(parseSealedVersion(id, sealed)).toEqual({ originVersion: sample.version, iteration });
      }),
    );
  });

  test('any text that reads as sealed is exactly what sealing its origin writes', () => {
    const parts = fc.constantFrom(
      '1',
      '0',
      '.',
      '-',
      '+',
      '~',
      'sp',
      'sp1',
      '1.0.0',
      '-r',
      '10',
      '+sp',
      ':',
      'a',
      '.sp.',
      '9',
    );
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 8 }), (pieces) => {
        const text = pieces.join('');
        const sealed = parseSealedVersion(id, text);
        if (sealed !== null) expect(sealedVersionOf(id, sealed.originVersion, sealed.iteration)).toBe(text);
      }),
      { numRuns: 5000 },
    );
  });

  test('a sealed version is never sealed again, and iterations have bounds', () => {
    for (const sealed of sample.sealed) expect(() => sealedVersionOf(id, sealed, 1)).toThrow(InvalidVersionError);
    for (const iteration of [0, -1, 1.5, Number.NaN, iterationMax + 1]) {
      expect(() => sealedVersionOf(id, sample.version, iteration)).toThrow(InvalidVersionError);
    }
    for (const version of ['', '<ORIGIN>', 'a b', '1.0/..']) {
      expect(() => sealedVersionOf(id, version, 1)).toThrow(InvalidVersionError);
    }
  });
});

test('the seal of Alpine release 0 is refused, because it would be spelled like release 1', () => {
  expect(() => sealedVersionOf('apk', '1.2.3-r0', 1)).toThrow(InvalidVersionError);
  expect(parseSealedVersion('apk', '1.2.3-r1')).toBeNull();
});

test('a local version of PyPI gets one more segment', () => {
  expect(sealedVersionOf('pypi', '2.0+cu118', 1)).toBe('2.0+cu118.sp1');
  expect(parseSealedVersion('pypi', '2.0+cu118.sp1')).toEqual({ originVersion: '2.0+cu118', iteration: 1 });
});

test('PyPI names are compared as PEP 503 says', () => {
  expect(normalizeName('pypi', 'Zope_.Interface')).toBe('zope-interface');
});
