// Makes a bare clone runnable: provisions the Node version that the code needs from the npm package `node-<platform>`,
// installs the locked dependencies with it, then runs a command under it. Plain JavaScript for any Node >= 20, no dependencies.
//
//   node tools/bootstrap.mjs                    set up only
//   node tools/bootstrap.mjs exec -- CMD ARG…   set up, then run CMD with that Node first on PATH
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const NODE_VERSION = '24.9.0';
export const repositoryDir = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/**
 * By default the heap grows with the memory of the machine, whatever the service needs: most of it would be garbage that
 * nobody has collected. A small young generation and a bound on the old one halve what the service occupies.
 */
export const nodeFlags = ['--max-semi-space-size=4', '--max-old-space-size=1024'];

const toolsDir = path.join(repositoryDir, '.tools');
const lockWaitMs = 10 * 60_000;

/** Path of a Node executable of the major version that the code is written for; provisioned on first use. */
export function nodeExecutable() {
  if (process.versions.node.split('.')[0] === NODE_VERSION.split('.')[0]) return process.execPath;
  const name = nodePackageName();
  const home = path.join(toolsDir, `node-${NODE_VERSION}`);
  const executable = path.join(home, 'node_modules', name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  if (!existsSync(executable)) withSetupLock(() => existsSync(executable) || provisionNode(name, home));
  return executable;
}

/** Environment in which `node`, `npm` and the installed commands are those of this repository. */
export function environmentFor(node) {
  const parts = [path.dirname(node), path.join(repositoryDir, 'node_modules', '.bin'), process.env.PATH];
  return { ...process.env, PATH: parts.filter(Boolean).join(path.delimiter) };
}

/** Installs the locked dependencies unless what is installed already matches the lockfile. */
export function installDependencies(node) {
  const stamp = path.join(repositoryDir, 'node_modules', '.sealsmith-lock');
  const wanted = dependencyFingerprint();
  const isInstalled = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted;
  if (isInstalled()) return;
  withSetupLock(() => {
    if (isInstalled()) return;
    say('installing the locked dependencies');
    run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: repositoryDir,
      env: environmentFor(node),
    });
    writeFileSync(stamp, wanted);
  });
}

function nodePackageName() {
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const prefix = process.platform === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node';
  return [prefix, platform, process.arch].join('-');
}

function provisionNode(name, home) {
  say(`provisioning Node ${NODE_VERSION} (this machine has ${process.version})`);
  const aside = `${home}.${process.pid}`;
  mkdirSync(aside, { recursive: true });
  writeFileSync(path.join(aside, 'package.json'), '{"private":true}\n');
  const flags = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--no-package-lock', '--loglevel=error'];
  run('npm', ['install', ...flags, `${name}@${NODE_VERSION}`], { cwd: aside });
  rmSync(home, { recursive: true, force: true });
  renameSync(aside, home);
}

function dependencyFingerprint() {
  const hash = createHash('sha256').update(NODE_VERSION);
  const workspaces = readdirSync(path.join(repositoryDir, 'packages')).sort();
  const manifests = ['package.json', ...workspaces.map((name) => `packages/${name}/package.json`), 'package-lock.json'];
  for (const file of manifests) {
    const full = path.join(repositoryDir, file);
    if (existsSync(full)) hash.update(file).update(readFileSync(full));
  }
  return hash.digest('hex');
}

/** One set-up at a time: a second process waits for the first, and takes over when the first died. */
function withSetupLock(work) {
  mkdirSync(toolsDir, { recursive: true });
  const lock = path.join(toolsDir, 'setup.lock');
  const deadline = Date.now() + lockWaitMs;
  while (!takeLock(lock)) {
    if (Date.now() > deadline)
      throw new Error(`another set-up holds ${lock} for too long; remove it if none is running`);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  }
  try {
    work();
  } finally {
    rmSync(lock, { force: true });
  }
}

function takeLock(lock) {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    if (!isHolderAlive(lock)) rmSync(lock, { force: true });
    return false;
  }
}

function isHolderAlive(lock) {
  try {
    const pid = Number(readFileSync(lock, 'utf8'));
    // The holder writes its id right after it creates the file: an empty file is one being written.
    if (!pid) return true;
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function run(command, args, options) {
  const result = spawnSync(command, args, { stdio: ['ignore', 2, 2], shell: process.platform === 'win32', ...options });
  if (result.error) throw result.error;
  if (result.status !== 0) throw new Error(`${command} ${args[0]} ended with ${result.status ?? result.signal}`);
}

function say(message) {
  process.stderr.write(`sealsmith set-up: ${message}\n`);
}

function execute(command, args, node) {
  const [executable, flags] = command === 'node' ? [node, nodeFlags] : [command, []];
  const child = spawn(executable, [...flags, ...args], { stdio: 'inherit', env: environmentFor(node) });
  // The terminal signals the whole group; a supervisor signals only this process, so pass its signals on.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    process.exitCode = signal ? 128 + (constants.signals[signal] ?? 1) : (code ?? 1);
  });
}

function main([verb, separator, command, ...args]) {
  const node = nodeExecutable();
  installDependencies(node);
  if (verb === undefined) return;
  if (verb !== 'exec' || separator !== '--' || !command) {
    process.stderr.write('usage: node tools/bootstrap.mjs [exec -- COMMAND [ARG…]]\n');
    process.exitCode = 2;
    return;
  }
  execute(command, args, node);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  try {
    main(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`sealsmith set-up failed: ${error.message}\n`);
    process.exitCode = 1;
  }
}
