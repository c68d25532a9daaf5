import { spawnSync } from 'node:child_process';

/** Runs commands one after the other and stops at the first that fails, with its exit code. */
export function runSteps(steps) {
  for (const { name, command, args } of steps) {
    const startedAt = Date.now();
    console.error(`\n> ${name}`);
    const result = spawnSync(command === 'node' ? process.execPath : command, args, {
      stdio: 'inherit',
      shell: process.platform === 'win32' && command !== 'node',
    });
    if (result.status !== 0) {
      console.error(`> ${name} failed${result.error ? `: ${result.error.message}` : ''}`);
      process.exit(result.status ?? 1);
    }
    console.error(`> ${name}: ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
  }
}
