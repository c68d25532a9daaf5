import { parseArgs } from 'node:util';
import { scopes, tokenRoles } from '@sealsmith/contract';
import { findTenant } from '../access/tenant-store.ts';
import { createToken, listTokens, type NewToken, revokeToken, type TokenRow } from '../access/token-store.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { Db } from '../database/database.ts';
import { inTransaction } from '../database/transaction.ts';
import { AppError } from '../platform/app-error.ts';
import { systemClock } from '../platform/clock.ts';
import type { TenantScope } from '../platform/tenancy.ts';
import { openOperatorDatabase } from './open-operator-database.ts';
import { type OperatorIo, operatorExitCodes, UsageError } from './operator-io.ts';

const createUsage =
  'Usage: sealsmith token create --tenant NAME --name LABEL [--role production|development] [--scope SCOPE]… [--expires-on DATE|never] [--json]';
const labelMax = 200;

export async function createTokenCommand(args: string[], io: OperatorIo): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      tenant: { type: 'string' },
      name: { type: 'string' },
      role: { type: 'string', default: 'production' },
      scope: { type: 'string', multiple: true },
      'expires-on': { type: 'string', default: 'never' },
      json: { type: 'boolean' },
    },
  });
  const { tenant, name } = values;
  if (!tenant || !name || name.length > labelMax) throw new UsageError(createUsage);
  const newToken: NewToken = {
    name,
    role: oneOf(tokenRoles, values.role, '--role'),
    scopes: readScopes(values.scope),
    expiresOn: readExpiry(values['expires-on']),
    createdBy: 'operator',
  };
  await using database = await openOperatorDatabase(io, { mayCreate: false });
  const { id, token } = await inTransaction(database, async (transaction) => {
    const scope = await tenantNamed(transaction, tenant);
    const created = await createToken(transaction, scope, systemClock, newToken);
    await recordAudit(transaction, scope, systemClock, {
      actor: 'operator',
      action: 'token.created',
      subject: created.id,
    });
    return created;
  });
  io.stdout.write(values.json ? `${JSON.stringify({ id, token })}\n` : `Token id:  ${id}\nToken:     ${token}\n`);
  if (!values.json) io.stderr.write('The token is shown this once only.\n');
  return operatorExitCodes.done;
}

export async function listTokensCommand(args: string[], io: OperatorIo): Promise<number> {
  const { values } = parseArgs({ args, options: { tenant: { type: 'string' }, json: { type: 'boolean' } } });
  if (!values.tenant) throw new UsageError('Usage: sealsmith token list --tenant NAME [--json]');
  await using database = await openOperatorDatabase(io, { mayCreate: false });
  const tokens = await listTokens(database.db, await tenantNamed(database.db, values.tenant));
  if (values.json) io.stdout.write(`${JSON.stringify(tokens.map(toWire))}\n`);
  else for (const token of tokens) io.stdout.write(`${describe(token)}\n`);
  return operatorExitCodes.done;
}

export async function revokeTokenCommand(args: string[], io: OperatorIo): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { tenant: { type: 'string' }, json: { type: 'boolean' } },
  });
  const [id] = positionals;
  if (!id || positionals.length > 1 || !values.tenant) {
    throw new UsageError('Usage: sealsmith token revoke ID --tenant NAME [--json]');
  }
  const tenant = values.tenant;
  await using database = await openOperatorDatabase(io, { mayCreate: false });
  await inTransaction(database, async (transaction) => {
    const scope = await tenantNamed(transaction, tenant);
    if (!(await revokeToken(transaction, scope, systemClock, id))) {
      throw new AppError('not_found', `The tenant "${tenant}" has no token ${id}.`);
    }
    await recordAudit(transaction, scope, systemClock, { actor: 'operator', action: 'token.revoked', subject: id });
  });
  io.stdout.write(values.json ? `${JSON.stringify({ id, revoked: true })}\n` : `Token ${id} is revoked.\n`);
  return operatorExitCodes.done;
}

async function tenantNamed(db: Db, name: string): Promise<TenantScope> {
  const scope = await findTenant(db, name);
  if (!scope)
    throw new AppError(
      'not_found',
      `There is no tenant named "${name}"; create it with: sealsmith tenant create ${name}`,
    );
  return scope;
}

function readScopes(given: string[] | undefined): NewToken['scopes'] {
  if (!given) return scopes;
  const names = given.flatMap((text) => text.split(',')).map((text) => text.trim());
  return [...new Set(names.map((name) => oneOf(scopes, name, '--scope')))];
}

function readExpiry(text: string): string | null {
  if (text === 'never') return null;
  const isDate = /^\d{4}-\d{2}-\d{2}(T.*)?$/.test(text);
  const time = isDate ? new Date(text) : null;
  if (!time || Number.isNaN(time.getTime())) {
    throw new UsageError('--expires-on takes "never", a date such as 2027-01-31, or an ISO 8601 time.');
  }
  return time.toISOString();
}

function oneOf<Value extends string>(values: readonly Value[], text: string, option: string): Value {
  const found = values.find((value) => value === text.toLowerCase());
  if (!found) throw new UsageError(`${option} takes ${values.join(', ')}.`);
  return found;
}

function toWire(token: TokenRow) {
  return {
    id: token.id,
    name: token.name,
    role: token.role,
    scopes: token.scopes,
    expires_on: token.expiresOn,
    created_by: token.createdBy,
    created_on: token.createdOn,
    last_used_on: token.lastUsedOn,
    revoked_on: token.revokedOn,
  };
}

function describe({ id, name, role, scopes: granted, expiresOn, revokedOn }: TokenRow): string {
  const state = revokedOn ? `revoked ${revokedOn}` : `expires ${expiresOn ?? 'never'}`;
  return [id, name, role, granted.join(','), state].join('  ');
}
