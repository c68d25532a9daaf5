#!/usr/bin/env node
// Runs the command line under the Node version that it is written for, whatever `node` is first on PATH.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { installDependencies, nodeExecutable, nodeFlags, repositoryDir } from '../../../tools/bootstrap.mjs';

const main = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../src/main.ts');
const child = spawn(setUp(), [...nodeFlags, main, ...process.argv.slice(2)], { stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('error', (error) => {
  process.stderr.write(`sealsmith: ${error.message}\n`);
  process.exitCode = 3;
});
child.on('exit', (code) => {
  // Ended by a signal: that says nothing of what was found.
  process.exitCode = code ?? 3;
});

/** A bare clone is set up first; an installation is left as it is. */
function setUp() {
  try {
    const node = nodeExecutable();
    if (!existsSync(path.join(repositoryDir, 'node_modules'))) installDependencies(node);
    return node;
  } catch (error) {
    process.stderr.write(`sealsmith: the set-up failed: ${error.message}\n`);
    process.exit(3);
  }
}
