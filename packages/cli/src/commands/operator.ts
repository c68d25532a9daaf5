import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { runAsOperator } from '../run-as-operator.ts';

export function defineServe(command: Command, context: CommandContext): void {
  command.addHelpText('after', '\nExample:\n  $ SEALSMITH_DATA_DIR=/var/lib/sealsmith sealsmith serve');
  handOver(command, context);
}

export function defineTenant(command: Command, context: CommandContext): void {
  const create = command.command('create').description('Create a tenant.').argument('<name>');
  create.addHelpText('after', '\nExample:\n  $ sealsmith tenant create acme');
  handOver(create, context);
  handOver(command.command('list').description('List the tenants.'), context);
}

export function defineToken(command: Command, context: CommandContext): void {
  const create = command
    .command('create')
    .description('Create an access token of a tenant. The token is shown this once.')
    .option('--tenant <name>', 'tenant that the token opens')
    .option('--name <label>', 'what the token is for')
    .option('--role <role>', 'production or development')
    .option('--scope <scope>', 'read, artifacts, scans, rules or fixes; can be repeated; all by default')
    .option('--expires-on <date>', 'a date, or never')
    .addHelpText('after', '\nExample:\n  $ sealsmith token create --tenant acme --name ci --scope scans --scope read');
  handOver(create, context);
  const list = command
    .command('list')
    .description('List the access tokens of a tenant.')
    .option('--tenant <name>', 'tenant of the tokens');
  handOver(list, context);
  const revoke = command
    .command('revoke')
    .description('Revoke an access token; it opens nothing from the next request on.')
    .argument('<id>')
    .option('--tenant <name>', 'tenant of the token')
    .addHelpText('after', '\nExample:\n  $ sealsmith token revoke 01m7zej4ezf0sh4096pnp8w5gs --tenant acme');
  handOver(revoke, context);
}

/** What is described here is for the help: the server program reads the arguments, and has the last word on them. */
function handOver(command: Command, context: CommandContext): void {
  for (const argument of command.registeredArguments) argument.argOptional();
  command
    .option('--json', 'print one JSON document')
    .allowUnknownOption()
    .allowExcessArguments()
    .action(context.action(() => runAsOperator(context)));
}
