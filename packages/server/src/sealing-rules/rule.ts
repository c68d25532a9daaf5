import {
  anySentinel,
  originSentinel,
  type SealingRule,
  type SealingRuleInput,
  safestSentinel,
} from '@sealsmith/contract';
import { AppError, type InputProblem } from '../platform/app-error.ts';

/** Where a rule holds. */
export type RuleScope = { kind: 'tenant' } | { kind: 'project'; projectName: string };

/** What it replaces: one exact version, by the sealed name. */
export type RuleSubject =
  | { kind: 'every-package' }
  | { kind: 'package-version'; packageName: string; packageVersion: string; sealedName: string };

/** What by. */
export type RuleOutcome = { kind: 'pinned'; sealedVersion: string } | { kind: 'safest' } | { kind: 'origin' };

/** A sealing rule as the domain has it: sentinels are gone, and a half-`<ANY>` rule cannot be written down. */
export interface Rule {
  scope: RuleScope;
  subject: RuleSubject;
  outcome: RuleOutcome;
}

export interface StoredRule extends Rule {
  createdOn: string;
}

/**
 * Reads the wire's five strings.
 * @throws AppError `inconsistent_rule` naming the consistency rule that is broken
 */
export function parseRule(input: SealingRuleInput): Rule {
  return { scope: parseScope(input.project_name), subject: parseSubject(input), outcome: parseOutcome(input) };
}

/** The wire's six strings. */
export function presentRule({ scope, subject, outcome, createdOn }: StoredRule): SealingRule {
  const everything = subject.kind === 'every-package';
  return {
    project_name: scope.kind === 'tenant' ? anySentinel : scope.projectName,
    vulnerable_package_name: everything ? anySentinel : subject.packageName,
    vulnerable_package_version: everything ? anySentinel : subject.packageVersion,
    sealed_package_name: everything ? anySentinel : subject.sealedName,
    sealed_package_version: presentOutcome(outcome),
    created_on: createdOn,
  };
}

/** What a rule is identified by within its tenant. */
export type RuleKey = Pick<Rule, 'scope'> & {
  subject: { kind: 'every-package' } | { kind: 'package-version'; packageName: string; packageVersion: string };
};

/** Reads a key of three strings. @throws AppError `inconsistent_rule` when only one of the two package fields is `<ANY>` */
export function parseRuleKey(
  input: Pick<SealingRuleInput, 'project_name' | 'vulnerable_package_name' | 'vulnerable_package_version'>,
): RuleKey {
  const scope = parseScope(input.project_name);
  const { vulnerable_package_name: packageName, vulnerable_package_version: packageVersion } = input;
  const isAny = { name: packageName === anySentinel, version: packageVersion === anySentinel };
  if (isAny.name && isAny.version) return { scope, subject: { kind: 'every-package' } };
  if (isAny.name || isAny.version) {
    const field = isAny.name ? 'vulnerable_package_version' : 'vulnerable_package_name';
    throw inconsistent(pairedFields, [field], 'query');
  }
  return { scope, subject: { kind: 'package-version', packageName, packageVersion } };
}

function parseScope(projectName: string): RuleScope {
  return projectName === anySentinel ? { kind: 'tenant' } : { kind: 'project', projectName };
}

function parseSubject(input: SealingRuleInput): RuleSubject {
  const fields = ['vulnerable_package_name', 'vulnerable_package_version', 'sealed_package_name'] as const;
  const wildcards = fields.filter((field) => input[field] === anySentinel);
  if (wildcards.length === fields.length) return { kind: 'every-package' };
  if (wildcards.length > 0) {
    throw inconsistent(
      pairedFields,
      fields.filter((field) => !wildcards.includes(field)),
    );
  }
  return {
    kind: 'package-version',
    packageName: input.vulnerable_package_name,
    packageVersion: input.vulnerable_package_version,
    sealedName: input.sealed_package_name,
  };
}

function parseOutcome(input: SealingRuleInput): RuleOutcome {
  const version = input.sealed_package_version;
  const isEveryVersion = input.vulnerable_package_version === anySentinel;
  if (version === safestSentinel) return { kind: 'safest' };
  if (version !== originSentinel) {
    if (isEveryVersion) {
      throw inconsistent(
        'A pinned version cannot replace every package: use <SAFEST>, or name the package and version.',
        ['sealed_package_version'],
      );
    }
    return { kind: 'pinned', sealedVersion: version };
  }
  if (isEveryVersion) {
    throw inconsistent(
      'Consistency rule 2: <ORIGIN> applies only to a rule that targets a concrete vulnerable version.',
      ['sealed_package_version'],
    );
  }
  if (input.sealed_package_name !== input.vulnerable_package_name) {
    throw inconsistent(
      'An <ORIGIN> rule keeps the package as it is, so sealed_package_name must equal vulnerable_package_name.',
      ['sealed_package_name'],
    );
  }
  return { kind: 'origin' };
}

function presentOutcome(outcome: RuleOutcome): string {
  switch (outcome.kind) {
    case 'pinned':
      return outcome.sealedVersion;
    case 'safest':
      return safestSentinel;
    case 'origin':
      return originSentinel;
  }
}

const pairedFields =
  'Consistency rule 1: when one of vulnerable_package_name, vulnerable_package_version and sealed_package_name is <ANY>, all three are <ANY>.';

function inconsistent(detail: string, names: readonly string[], location: InputProblem['location'] = 'body'): AppError {
  const problems = names.map((name): InputProblem => ({ location, name, message: detail }));
  return new AppError('inconsistent_rule', detail, { problems });
}
