import { once } from 'node:events';
import { parseArgs } from 'node:util';
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
  io.stdout.write(`Sealsmith serves at ${config.publicUrl ?? service.url}\n`);
  if (service.firstStart) {
    const { tenantName, token, adminName, adminPassword } = service.firstStart;
    io.stdout.write(`\nThis is the first start. What follows is shown this once only:\n`);
    io.stdout.write(`  Tenant:          ${tenantName}\n  Access token:    ${token}\n`);
    io.stdout.write(`  Administrator:   ${adminName}\n  Password:        ${adminPassword}\n\n`);
  }
  if (!io.signal.aborted) await once(io.signal, 'abort');
  log.info('stopping: requests and builds under way are finished first');
  return operatorExitCodes.done;
}
