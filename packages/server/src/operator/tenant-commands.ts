import { parseArgs } from 'node:util';
import { createTenant, listTenants } from '../access/tenant-store.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { inTransaction } from '../database/transaction.ts';
import { systemClock } from '../platform/clock.ts';
import { openOperatorDatabase } from './open-operator-database.ts';
import { type OperatorIo, operatorExitCodes, UsageError } from './operator-io.ts';

export async function createTenantCommand(args: string[], io: OperatorIo): Promise<number> {
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options: { json: { type: 'boolean' } } });
  const [name] = positionals;
  if (!name || positionals.length > 1) throw new UsageError('Usage: sealsmith tenant create NAME [--json]');
  await using database = await openOperatorDatabase(io, { mayCreate: true });
  const { tenantId } = await inTransaction(database, async (transaction) => {
    const scope = await createTenant(transaction, database, systemClock, name);
    await recordAudit(transaction, scope, systemClock, { actor: 'operator', action: 'tenant.created', subject: name });
    return scope;
  });
  io.stdout.write(values.json ? `${JSON.stringify({ id: tenantId, name })}\n` : `Tenant ${name} is created.\n`);
  return operatorExitCodes.done;
}

export async function listTenantsCommand(args: string[], io: OperatorIo): Promise<number> {
  const { values } = parseArgs({ args, options: { json: { type: 'boolean' } } });
  await using database = await openOperatorDatabase(io, { mayCreate: false });
  const tenants = await listTenants(database.db);
  if (values.json)
    io.stdout.write(`${JSON.stringify(tenants.map(({ tenantId, name }) => ({ id: tenantId, name })))}\n`);
  else for (const { name } of tenants) io.stdout.write(`${name}\n`);
  return operatorExitCodes.done;
}
