import { endpoints, type Fix, type FixStatus, type WireEcosystem } from '@sealsmith/contract';
import type { Command } from 'commander';
import { CliError } from '../cli-error.ts';
import type { CliIo } from '../cli-io.ts';
import type { Client } from '../client.ts';
import type { CommandContext } from '../command-context.ts';
import { collect, parseCount, withEcosystem, withJson } from '../command-options.ts';
import { exitCodes } from '../exit-codes.ts';
import type { Output } from '../output.ts';

interface GenerateOptions {
  ecosystem: WireEcosystem;
  vulnerability: string[];
  wait?: true;
  timeout: number;
}

export function defineGenerateFix(command: Command, context: CommandContext): void {
  withEcosystem(
    withJson(command, ['generate-fix ejs 2.7.4 --wait', 'generate-fix ejs 2.7.4 --vulnerability CVE-2022-29078']),
  )
    .argument('<package>')
    .argument('<version>', 'vulnerable version')
    .option('--vulnerability <id>', 'fix this one; can be repeated (default: all that are known)', collect, [])
    .option('--wait', 'wait until the fix is there or has failed')
    .option('--timeout <seconds>', 'how long to wait', parseCount, 900)
    .action(
      context.action((packageName: string, version: string, options: GenerateOptions) =>
        generateFix({ packageName, version, options }, context),
      ),
    );
}

interface FixRequest {
  packageName: string;
  version: string;
  options: GenerateOptions;
}

async function generateFix({ packageName, version, options }: FixRequest, { io, openClient, output }: CommandContext) {
  const client = await openClient();
  const accepted = await client.call(endpoints.generateFix, {
    body: {
      ecosystem: options.ecosystem,
      package_name: packageName,
      vulnerable_version: version,
      ...(options.vulnerability.length > 0 && { vulnerability_identifiers: options.vulnerability }),
    },
  });
  const fix = options.wait
    ? await waitForFix(accepted, { client, io, output, timeoutMs: options.timeout * 1000 })
    : accepted;
  output.result(fix, () => renderFix(fix));
  return outcomes[fix.status] === 'bad' ? exitCodes.refused : exitCodes.done;
}

const outcomes: Readonly<Record<FixStatus, 'pending' | 'good' | 'bad'>> = {
  queued: 'pending',
  building: 'pending',
  succeeded: 'good',
  needs_review: 'bad',
  unfixable: 'bad',
  failed: 'bad',
};

const firstIntervalMs = 500;
const intervalMsMax = 15_000;

interface Wait {
  client: Client;
  io: Pick<CliIo, 'sleep' | 'signal'>;
  output: Output;
  timeoutMs: number;
}

/** Counts the time that it has slept, so that a slow answer never makes it give up early. */
async function waitForFix(accepted: Fix, { client, io, output, timeoutMs }: Wait): Promise<Fix> {
  let fix = accepted;
  let sleptMs = 0;
  for (let intervalMs = firstIntervalMs; outcomes[fix.status] === 'pending'; intervalMs *= 1.5) {
    const pauseMs = Math.min(intervalMs, intervalMsMax, timeoutMs - sleptMs);
    if (pauseMs <= 0) {
      throw new CliError(
        'server',
        `The fix ${fix.id} is still ${fix.status} after ${timeoutMs / 1000} seconds; it goes on.`,
      );
    }
    output.progress.update(`${fix.package_name} ${fix.vulnerable_version}: ${fix.status}`);
    await io.sleep(pauseMs);
    if (io.signal.aborted) throw new CliError('interrupted', `Interrupted; the fix ${fix.id} goes on.`);
    sleptMs += pauseMs;
    fix = await client.call(endpoints.getFix, { params: { fix_id: fix.id } });
  }
  return fix;
}

function renderFix(fix: Fix): string {
  const lines = [`${fix.package_name} ${fix.vulnerable_version} (${fix.ecosystem}): ${fix.status}`, `  fix ${fix.id}`];
  if (fix.sealed_package_version !== null) {
    lines.push(`  sealed as ${fix.sealed_package_name ?? fix.package_name} ${fix.sealed_package_version}`);
  }
  if (fix.vulnerabilities.length > 0) lines.push(`  closes ${fix.vulnerabilities.join(', ')}`);
  if (fix.reason !== null) lines.push(`  ${fix.reason}`);
  return lines.join('\n');
}
