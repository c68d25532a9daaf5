import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { defineRulesAdd } from './rules-add.ts';
import { defineRulesExplain } from './rules-explain.ts';
import { defineRulesList } from './rules-list.ts';
import { defineRulesRemove } from './rules-remove.ts';

export function defineRules(command: Command, context: CommandContext): void {
  defineRulesList(command.command('list'), context);
  defineRulesAdd(command.command('add'), context);
  defineRulesRemove(command.command('remove'), context);
  defineRulesExplain(command.command('explain'), context);
}
