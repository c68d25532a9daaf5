// The main job from end to end through public interfaces only: HTTP, the command line and the real npm, first with SQLite,
// then with PostgreSQL. Needs the npm registry that this machine is configured to use.
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { basePath, type VulnerablePackage } from '@sealsmith/contract';
import { startPostgres } from '../support/postgres-server.ts';
import {
  type RunningService,
  repositoryDir,
  sealsmithCommand,
  startServiceProcess,
} from '../support/running-service.ts';
import { expectStep, runProgram } from './steps.ts';

const example = path.join(repositoryDir, 'examples/storefront');
const proofs = path.join(repositoryDir, 'catalog/proofs/npm');
const projectName = 'storefront';

console.log('The main job with SQLite');
await journey({});
console.log('\nThe main job with PostgreSQL');
await using postgres = await startPostgres();
await journey({ SEALSMITH_DATABASE_URL: await postgres.createDatabase() });
console.log('\nThe main job is done, twice.');

async function journey(env: Record<string, string>): Promise<void> {
  const workDir = mkdtempSync(path.join(tmpdir(), 'sealsmith-journey-'));
  try {
    await using service = await startServiceProcess({ env });
    const project = path.join(workDir, projectName);
    cpSync(example, project, { recursive: true });
    await seal(createTraveller(service, project));
  } finally {
    rmSync(workDir, { recursive: true, force: true });
  }
}

type Traveller = ReturnType<typeof createTraveller>;

/** A user with a token in front of one project. */
function createTraveller({ url, token }: RunningService, project: string) {
  if (token === null) throw new Error('a first start prints a token');
  const settings = { SEALSMITH_URL: url, SEALSMITH_TOKEN: token, SEALSMITH_PROJECT: projectName };
  return {
    project,
    url,
    sealsmith: (...args: string[]) =>
      runProgram(process.execPath, [sealsmithCommand, ...args], { cwd: project, env: settings }),
    npm: (...args: string[]) =>
      runProgram('npm', [...args, '--no-audit', '--no-fund'], { cwd: project, env: settings }),
    node: (...args: string[]) => runProgram(process.execPath, args, { cwd: project }),
    listVulnerable: async () => {
      const response = await fetch(`${url}${basePath}/packages/vulnerable?project_name_filter=${projectName}`, {
        headers: { authorization: `Bearer ${token}` },
      });
      return ((await response.json()) as { items: VulnerablePackage[] }).items;
    },
  };
}

async function seal(traveller: Traveller): Promise<void> {
  await installVulnerable(traveller);
  const fixable = await scan(traveller);
  await generateFixes(traveller, fixable);
  await addRule(traveller);
  await fixAndInstall(traveller);
  await prove(traveller, fixable);
  await readPrompt(traveller);
  await scanAgain(traveller, fixable);
}

async function installVulnerable({ npm, node }: Traveller): Promise<void> {
  const installed = await npm('ci');
  expectStep(installed.exitCode === 0, 'npm ci installs the vulnerable project', installed);
  const exploit = await node('exploit.cjs');
  expectStep(exploit.exitCode === 1, `the exploit works: ${exploit.stdout.trim()}`, exploit);
}

async function scan({ sealsmith, listVulnerable }: Traveller): Promise<VulnerablePackage[]> {
  const scanned = await sealsmith('scan');
  expectStep(scanned.exitCode === 1, 'sealsmith scan finds vulnerable packages', scanned);
  console.log(scanned.stdout.replaceAll(/^/gm, '      '));
  const found = await listVulnerable();
  const listed = found.map((item) => `${item.package_name} ${item.package_version}`);
  expectStep(found.length >= 5, `GET /packages/vulnerable lists ${listed.join(', ')}`);
  return found.filter((item) => item.fix_availability === 'generate_fix' && item.package_name !== 'moment');
}

async function generateFixes({ sealsmith, listVulnerable }: Traveller, fixable: VulnerablePackage[]): Promise<void> {
  for (const { package_name: name, package_version: version } of fixable) {
    const generated = await sealsmith('generate-fix', name, version, '--wait');
    expectStep(generated.exitCode === 0, `generate-fix ${name} ${version}`, generated);
  }
  const refused = await sealsmith('generate-fix', 'moment', '2.24.0', '--wait');
  expectStep(refused.exitCode === 1, 'generate-fix moment 2.24.0 is refused: no patch is known', refused);
  const states = new Map((await listVulnerable()).map((item) => [item.package_name, item.fix_availability]));
  expectStep(states.get('ejs') === 'seal_available', 'the list says seal_available for ejs');
  expectStep(states.get('moment') === 'unfixable', 'the list says unfixable for moment');
}

async function addRule({ sealsmith, listVulnerable }: Traveller): Promise<void> {
  const added = await sealsmith('rules', 'add', '--project', projectName, '--package', '<ANY>', '--to', '<SAFEST>');
  expectStep(added.exitCode === 0, `a rule seals everything in ${projectName}`, added);
  const explained = await sealsmith('rules', 'explain', 'ejs', '2.7.4');
  expectStep(explained.stdout.includes('2.7.4-sp1'), 'rules explain says that ejs 2.7.4 becomes 2.7.4-sp1', explained);
  const ejs = (await listVulnerable()).find((item) => item.package_name === 'ejs');
  expectStep(ejs?.fix_availability === 'pending_deploy', 'the list says pending_deploy for ejs');
}

async function fixAndInstall({ sealsmith, npm, project, url }: Traveller): Promise<void> {
  const host = new URL(url).host;
  writeFileSync(path.join(project, '.npmrc'), `//${host}/artifacts/npm/:_authToken=\${SEALSMITH_TOKEN}\n`);
  const fixed = await sealsmith('fix');
  expectStep(fixed.exitCode === 0, 'sealsmith fix redirects the lockfile', fixed);
  const lockfile = path.join(project, 'package-lock.json');
  const sealedLock = readFileSync(lockfile, 'utf8');
  const again = await sealsmith('fix');
  expectStep(
    again.exitCode === 0 && readFileSync(lockfile, 'utf8') === sealedLock,
    'a second fix changes nothing',
    again,
  );
  const installed = await npm('ci');
  expectStep(installed.exitCode === 0, 'npm ci installs the sealed packages', installed);
  expectStep(installedVersion(project, 'ejs') === '2.7.4-sp1', 'node_modules/ejs is 2.7.4-sp1');
  const kept = await npm('install');
  expectStep(
    kept.exitCode === 0 && installedVersion(project, 'ejs') === '2.7.4-sp1',
    'npm install keeps the seal',
    kept,
  );
}

async function prove({ node, project }: Traveller, sealed: VulnerablePackage[]): Promise<void> {
  const exploit = await node('exploit.cjs');
  expectStep(exploit.exitCode === 0, `the exploit fails: ${exploit.stdout.trim()}`, exploit);
  for (const { package_name: name, package_version: version } of sealed) {
    const folder = path.join(proofs, name, version);
    for (const file of readdirSync(folder)) {
      const proof = await node(path.join(folder, file), project);
      expectStep(
        proof.exitCode === 0,
        `proof ${name} ${version} ${path.parse(file).name}: ${proof.stdout.trim()}`,
        proof,
      );
    }
  }
}

async function readPrompt({ sealsmith }: Traveller): Promise<void> {
  const prompt = await sealsmith('prompt', 'ejs', '2.7.4', 'CVE-2022-29078');
  expectStep(
    prompt.exitCode === 0 && prompt.stdout.includes('diff --git'),
    'the validation prompt carries the patch',
    prompt,
  );
}

async function scanAgain({ sealsmith, listVulnerable }: Traveller, sealed: VulnerablePackage[]): Promise<void> {
  const scanned = await sealsmith('scan');
  expectStep(scanned.exitCode === 1, 'scan again: moment is still open', scanned);
  const found = await listVulnerable();
  const done = found.filter((item) => item.fix_availability === 'sealed').map((item) => item.package_name);
  expectStep(done.length === sealed.length, `the list says sealed for ${done.join(', ')}`);
}

function installedVersion(project: string, name: string): unknown {
  return JSON.parse(readFileSync(path.join(project, 'node_modules', name, 'package.json'), 'utf8')).version;
}
