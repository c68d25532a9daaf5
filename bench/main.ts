// Runs a named workload: `npm run bench -- NAME`. Figures are compared as ratios within one run.
const workloads: Record<string, () => Promise<void>> = {
  'rules-list': async () => (await import('./rules-list/run.ts')).runRulesList(),
};

const [name = ''] = process.argv.slice(2);
const workload = workloads[name];
if (workload) await workload();
else {
  console.error(`usage: npm run bench -- NAME\n\nworkloads: ${Object.keys(workloads).join(', ')}`);
  process.exitCode = 2;
}
