import path from 'node:path';
import { redirectLockedPackages } from '@sealsmith/ecosystems';
import { type Command, Option } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { withJson } from '../command-options.ts';
import { exitCodes } from '../exit-codes.ts';
import { findStale } from '../fix/installed.ts';
import { knowsRepository, tokenLineFor } from '../fix/npm-settings.ts';
import { type FixMode, fetchOutcomes } from '../fix/outcomes.ts';
import { planFix, type SealedEntry } from '../fix/plan.ts';
import { documentOf, type FixReport, renderReport } from '../fix/report.ts';
import { assertServable, repositoryOf } from '../fix/sealed-artifact.ts';
import { writeLockfile } from '../fix/write-lockfile.ts';
import { type Lockfile, readLockfile } from '../lockfile.ts';
import { projectNameFrom } from '../settings.ts';

interface FixOptions {
  project?: string;
  mode: FixMode;
  dryRun?: true;
}

export function defineFix(command: Command, context: CommandContext): void {
  withJson(command, ['fix', 'fix --mode all --dry-run', 'fix ../shop --project shop'])
    .description('Point the npm lockfile of a project to sealed packages. "npm ci" installs them afterwards.')
    .argument('[dir]', 'folder of the project', '.')
    .option('--project <name>', 'name of the project (default: SEALSMITH_PROJECT, or the name in the lockfile)')
    .addOption(
      new Option('--mode <mode>', 'remote: what the sealing rules say; all: everything that has a seal')
        .choices(['remote', 'all'])
        .default('remote'),
    )
    .option('--dry-run', 'say what would change and write nothing')
    .action(context.action((dir: string, options: FixOptions) => fix(dir, options, context)));
}

async function fix(dir: string, options: FixOptions, context: CommandContext) {
  const { io, openClient, output } = context;
  const folder = path.resolve(io.cwd, dir);
  const lockfile = await readLockfile(folder, dir);
  const fallbacks = [lockfile.lock.projectName, path.basename(folder)];
  const projectName = projectNameFrom({ option: options.project, env: io.env, fallbacks });
  const client = await openClient();
  const outcomeOf = await fetchOutcomes(client, lockfile.lock.packages, {
    projectName,
    mode: options.mode,
    onProgress: (done, total) => output.progress.update(`asking about ${total} packages, ${done} answered`),
  });
  const planContext = { serverUrl: client.serverUrl, areRulesDrafts: options.mode === 'all' };
  const plan = planFix(lockfile.lock.packages, outcomeOf, planContext);
  for (const { to } of plan.sealed) assertServable(to);
  const isDryRun = options.dryRun === true;
  const changed = await apply(lockfile, plan.sealed, isDryRun);
  const hints = await hintsFor({ folder, lockfile, sealed: plan.sealed, serverUrl: client.serverUrl, isDryRun });
  const report: FixReport = { projectName, lockfile, mode: options.mode, isDryRun, plan, changed, hints };
  output.result(documentOf(report), () => renderReport(report));
  for (const hint of hints) output.note(hint);
  return plan.refused.length > 0 ? exitCodes.refused : exitCodes.done;
}

/** Answers the lock paths that differ; they are in the file, and were read from it again, unless it is a dry run. */
async function apply(
  lockfile: Lockfile,
  sealed: readonly SealedEntry[],
  isDryRun: boolean,
): Promise<ReadonlySet<string>> {
  const redirects = new Map(sealed.map(({ path: place, to }) => [place, to]));
  const { text, changed } = redirectLockedPackages(lockfile.text, lockfile.fileName, redirects);
  if (changed.length > 0 && !isDryRun) await writeLockfile(lockfile, text, sealed);
  return new Set(changed);
}

interface HintSources {
  folder: string;
  lockfile: Lockfile;
  sealed: readonly SealedEntry[];
  serverUrl: string;
  isDryRun: boolean;
}

/** What the user still has to do. */
async function hintsFor({ folder, lockfile, sealed, serverUrl, isDryRun }: HintSources): Promise<string[]> {
  const hints: string[] = [];
  if (lockfile.ignoredFileName !== null) {
    hints.push(
      `npm goes by ${lockfile.fileName} and ignores ${lockfile.ignoredFileName}, so only the first was looked at.`,
    );
  }
  const stale = isDryRun ? [] : await findStale(folder, sealed);
  if (stale.length > 0) {
    hints.push(
      `node_modules holds ${stale.length} of the sealed packages in another version: run "npm ci" to install them.`,
    );
  }
  for (const repository of new Set(sealed.map(({ to }) => repositoryOf(to.resolved, serverUrl)))) {
    if (!(await knowsRepository(folder, repository))) {
      hints.push(
        `npm needs the token to fetch sealed packages. Put this line into .npmrc:\n  ${tokenLineFor(repository)}`,
      );
    }
  }
  return hints;
}
