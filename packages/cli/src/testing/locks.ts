import { sampleIntegrity } from './samples.ts';

/** Address of an origin tarball, as npm writes it. */
export function originUrl(name: string, version: string): string {
  return `https://registry.example/${name}/-/${name.replace(/^.*\//, '')}-${version}.tgz`;
}

function origin(name: string, version: string) {
  return { version, resolved: originUrl(name, version), integrity: sampleIntegrity('0') };
}

/** The `packages` of a small shop: a direct and a nested copy, a scope, an alias, a bundled and a git package, a workspace. */
const packages = {
  '': {
    name: 'shop',
    version: '1.0.0',
    workspaces: ['cart'],
    dependencies: {
      ejs: '^2.7.0',
      old: 'npm:minimist@1.2.5',
      '@s/ini': '1.0.0',
      packer: '1.0.0',
      fork: 'github:a/fork',
    },
  },
  cart: { version: '1.0.0', dependencies: { ejs: '^3.0.0' } },
  'cart/node_modules/ejs': { ...origin('ejs', '3.1.6') },
  'node_modules/@s/ini': { ...origin('@s/ini', '1.0.0'), dependencies: { minimist: '^1.2.0' } },
  'node_modules/cart': { resolved: 'cart', link: true },
  'node_modules/ejs': { ...origin('ejs', '2.7.4'), bin: { ejs: 'bin/cli.js' }, engines: { node: '>=0.10.0' } },
  'node_modules/fork': {
    version: '1.1.0',
    resolved: 'git+ssh://git@code.example/a/fork.git#0123456789abcdef0123456789abcdef01234567',
  },
  'node_modules/minimist': { ...origin('minimist', '1.2.5') },
  'node_modules/old': { name: 'minimist', ...origin('minimist', '1.2.5') },
  'node_modules/packer': { ...origin('packer', '1.0.0'), bundleDependencies: ['inner'], dependencies: { inner: '1' } },
  'node_modules/packer/node_modules/inner': { version: '1.0.0', inBundle: true, extraneous: true },
};

const dependencies = {
  '@s/ini': { ...origin('@s/ini', '1.0.0'), requires: { minimist: '^1.2.0' } },
  ejs: origin('ejs', '2.7.4'),
  minimist: origin('minimist', '1.2.5'),
  old: { ...origin('minimist', '1.2.5'), version: 'npm:minimist@1.2.5' },
  packer: {
    ...origin('packer', '1.0.0'),
    requires: { inner: '1' },
    dependencies: { inner: { version: '1.0.0', bundled: true } },
  },
};

/** The lockfile of the shop, as npm formats it. */
export function shopLock(lockfileVersion: 1 | 2 | 3, { eol = '\n' }: { eol?: string } = {}): string {
  const sections =
    lockfileVersion === 1 ? { dependencies } : lockfileVersion === 3 ? { packages } : { packages, dependencies };
  const lock = { name: 'shop', version: '1.0.0', lockfileVersion, requires: true, ...sections };
  return `${JSON.stringify(lock, null, 2)}\n`.replaceAll('\n', eol);
}
