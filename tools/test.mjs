// Everything: the checks, every test suite and the journey. Further arguments go to the test runner, which then runs alone.
import { runSteps } from './run-steps.mjs';

const chosen = process.argv.slice(2);
runSteps(
  chosen.length > 0
    ? [{ name: 'chosen tests', command: 'vitest', args: ['run', ...chosen] }]
    : [
        { name: 'format and lint', command: 'biome', args: ['check', '--error-on-warnings'] },
        { name: 'types', command: 'tsc', args: ['-p', 'tsconfig.json'] },
        { name: 'generated files', command: 'node', args: ['tools/generate.ts', '--check'] },
        { name: 'the main job', command: 'node', args: ['tests/journey/main.ts'] },
        { name: 'all tests', command: 'vitest', args: ['run'] },
      ],
);
