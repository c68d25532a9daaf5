// Format, lint, types, generated files and the fast tests: what must hold before every commit. Under two minutes.
import { runSteps } from './run-steps.mjs';

runSteps([
  { name: 'format and lint', command: 'biome', args: ['check', '--error-on-warnings'] },
  { name: 'types', command: 'tsc', args: ['-p', 'tsconfig.json'] },
  { name: 'generated files', command: 'node', args: ['tools/generate.ts', '--check'] },
  { name: 'fast tests', command: 'vitest', args: ['run', '--project', 'fast'] },
]);
