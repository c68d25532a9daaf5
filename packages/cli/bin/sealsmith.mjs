#!/usr/bin/env node
// Runs the command line under the Node version that it is written for, whatever `node` is first on PATH.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodeExecutable, nodeFlags } from '../../../tools/bootstrap.mjs';

const main = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../src/main.ts');
const child = spawn(nodeExecutable(), [...nodeFlags, main, ...process.argv.slice(2)], { stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('error', (error) => {
  process.stderr.write(`sealsmith: ${error.message}\n`);
  process.exitCode = 3;
});
child.on('exit', (code) => {
  process.exitCode = code ?? 1;
});
