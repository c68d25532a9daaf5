import { once } from 'node:events';
import { parseArgs } from 'node:util';
import type { FirstStartSecrets } from '../access/first-start.ts';
import { startService } from '../compose.ts';
import { readConfig } from '../config/config.ts';
import { starterCatalogDir } from '../config/starter-catalog-dir.ts';
import { createLogger } from '../platform/logger.ts';
import { type OperatorIo, operatorExitCodes } from './operator-io.ts';

/** Serves until it is asked to end, then finishes what is under way. */
export async function serveCommand(args: string[], io: OperatorIo): Promise<number> {
  parseArgs({ args, options: {} });
  const config = readConfig(io.env, starterCatalogDir);
  const log = createLogger(config.logLevel);
  const proxy = {
    http: io.env.HTTP_PROXY ?? io.env.http_proxy,
    https: io.env.HTTPS_PROXY ?? io.env.https_proxy,
    noProxy: io.env.NO_PROXY ?? io.env.no_proxy,
  };
  await using service = await startService({ config, log, proxy });
  // In one write: whoever reads the first line has all of it.
  io.stdout.write(greeting(config.publicUrl ?? service.url, service.firstStart));
  if (!io.signal.aborted) await once(io.signal, 'abort');
  log.info('stopping: requests and builds under way are finished first');
  return operatorExitCodes.done;
}

function greeting(url: string, firstStart: FirstStartSecrets | null): string {
  const lines = [`Sealsmith serves at ${url}`];
  if (firstStart) {
    const { tenantName, token, adminName, adminPassword } = firstStart;
    lines.push(
      '',
      'This is the first start. What follows is shown this once only:',
      `  Tenant:          ${tenantName}`,
      `  Access token:    ${token}`,
      `  Administrator:   ${adminName}`,
      `  Password:        ${adminPassword}`,
      '',
    );
  }
  return lines.map((line) => `${line}\n`).join('');
}
