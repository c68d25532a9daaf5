import { scopes } from '@sealsmith/contract';
import { sql } from 'kysely';
import { createTenant } from '../../packages/server/src/access/tenant-store.ts';
import { createToken } from '../../packages/server/src/access/token-store.ts';
import type { Database } from '../../packages/server/src/database/database.ts';
import { systemClock } from '../../packages/server/src/platform/clock.ts';
import type { TenantScope } from '../../packages/server/src/platform/tenancy.ts';
import type { Rule } from '../../packages/server/src/sealing-rules/rule.ts';
import { idRange, toRow } from '../../packages/server/src/sealing-rules/rule-row.ts';

const tenantCount = 100;
const ruleCount = 1_000_000;
const rowsPerInsert = 1_000;

const subjects =
  'access account action adapter agent alert archive asset audit auth badge balance banner batch billing binary block board bridge broker browser bucket buffer build bundle button cache calendar campaign card cart catalog channel chart chat check claim client cloud cluster codec color column command comment common compiler config connect console container content context control cookie core coupon crypto cursor customer daemon dash data date debug deploy design device diagram dialog diff digest dispatch docker document domain draft driver editor element email engine entity error event export feature feed fetch field file filter finance flag flow folder font form format forum frame gallery game gateway geo gift graph grid group guard guide handler hash header health helper history hook host icon image import index input insight install invoice item job journal json kernel key label language layout ledger legacy lesson library license link list loader locale lock log login loop mail map market media member memory menu merge message meta metric middleware migrate mobile model module monitor network node note notice number object offer office online order owner package page panel parser partner patch path payment people permission photo pipe plan platform player plugin point policy pool portal post preview price print process product profile project promise proxy queue quota random rating reader record redirect registry relay release render report request resolver resource response review role route rule runner sample scan schedule schema scope score script search season secret section security select send server service session setting shape share shell shop signal site socket source space sprite stack stage state static stats status step storage store stream string style submit support switch symbol sync syntax system table tag target task team template terminal test text theme thread ticket tile time token tool topic trace track traffic transfer tree trigger tunnel type unit update upload user util validator value vault vector vendor version video view wallet watch weather web widget window worker workflow wrapper zone'.split(
    ' ',
  );
const scopesOfPackages = ['', '', '', '@acme/', '@corp/', '@ui/', '@internal/', '@labs/'];

export interface BenchTenant {
  token: string;
  ruleCount: number;
  /** Occurs in a few of the tenant's rules. */
  rareSubstring: string;
  /** Made of words that its rules have, but none has them in this order. */
  absentSubstring: string;
}

/** Fills an empty database with a million rules, most of them in few tenants. @returns the tenants, largest first */
export async function fillDatabase(database: Database): Promise<BenchTenant[]> {
  const weights = Array.from({ length: tenantCount }, (_, index) => 1 / (index + 1) ** 1.2);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const tenants: BenchTenant[] = [];
  let left = ruleCount;
  for (const [index, weight] of weights.entries()) {
    const count = index === tenantCount - 1 ? left : Math.floor((ruleCount * weight) / total);
    left -= count;
    tenants.push(await fillTenant(database, index, count));
  }
  return tenants;
}

async function fillTenant(database: Database, index: number, count: number): Promise<BenchTenant> {
  const { db } = database;
  const scope = await createTenant(db, database, systemClock, `tenant-${index}`);
  const newToken = { name: 'bench', role: 'production', scopes, expiresOn: null, createdBy: 'bench' } as const;
  const { token } = await createToken(db, scope, systemClock, newToken);
  const random = createRandom(index + 1);
  const occurrences = new Map<string, number>();
  const createdOn = Date.UTC(2026, 0, 1);
  for (let start = 0; start < count; start += rowsPerInsert) {
    const rows = Array.from({ length: Math.min(rowsPerInsert, count - start) }, (_, offset) => {
      const number = start + offset + 1;
      const rule = createRule(random, number, occurrences);
      return rowOf(scope, rule, number, new Date(createdOn + number * 1000).toISOString());
    });
    await db.transaction().execute(async (transaction) => {
      await transaction.insertInto('sealing_rules').values(rows).execute();
      await database.capabilities.addRuleText(transaction, rows);
    });
  }
  await db
    .updateTable('tenants')
    .set({ rule_counter: sql<number>`${count}` })
    .where('id', '=', scope.tenantId)
    .execute();
  return { token, ruleCount: count, ...chooseSubstrings(occurrences) };
}

function rowOf(scope: TenantScope, rule: Rule, number: number, createdOn: string) {
  return { ...toRow(scope, { ...rule, createdOn }), id: idRange(scope.tenantId).first - 1 + number };
}

/** The number makes the version, and so the key, unique. */
function createRule(random: () => number, number: number, occurrences: Map<string, number>): Rule {
  const pick = <Value>(values: readonly Value[]) => values[Math.floor(random() * values.length)] as Value;
  const pair = `${pick(subjects)}-${pick(subjects)}`;
  occurrences.set(pair, (occurrences.get(pair) ?? 0) + 1);
  const packageName = pick(scopesOfPackages) + pair;
  const version = `${number % 40}.${Math.floor(number / 40) % 1000}.${Math.floor(number / 40_000)}`;
  const isTenantWide = random() < 0.1;
  return {
    scope: isTenantWide ? { kind: 'tenant' } : { kind: 'project', projectName: `${pick(subjects)}-${pick(subjects)}` },
    subject: { kind: 'package-version', packageName, packageVersion: version, sealedName: packageName },
    outcome: random() < 0.5 ? { kind: 'safest' } : { kind: 'pinned', sealedVersion: `${version}-sp1` },
  };
}

function chooseSubstrings(occurrences: Map<string, number>) {
  const rare = [...occurrences].find(([, count]) => count <= 5)?.[0] ?? 'workflow-zone';
  for (const first of subjects) {
    for (const second of subjects) {
      const pair = `${first}-${second}`;
      if (!occurrences.has(pair)) return { rareSubstring: rare, absentSubstring: pair };
    }
  }
  return { rareSubstring: rare, absentSubstring: 'zone-workflow-zone' };
}

/** Mulberry32: the same data in every run. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
