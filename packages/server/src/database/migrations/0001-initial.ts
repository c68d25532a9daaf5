import { type CreateTableBuilder, type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { DatabaseCapabilities } from '../database.ts';

type Column = 'text' | 'text?' | 'integer' | 'integer?' | 'counter';

/** The first schema. Each table: its columns (a trailing `?` allows null) and its primary key. */
export function initialMigration(capabilities: DatabaseCapabilities): Migration {
  return {
    up: async (db: Kysely<unknown>) => {
      for (const [table, { columns, key }] of Object.entries(tables)) {
        await tableWith(db, table, columns, capabilities)
          .addPrimaryKeyConstraint(`${table}_primary_key`, key as never[])
          .execute();
      }
      await createTenants(db, capabilities);
      await createSealingRules(db, capabilities);
      for (const statement of indexes) await sql.raw(statement).execute(db);
      await capabilities.createRuleTextIndex(db);
    },
  };
}

const tables: Record<string, { columns: Record<string, Column>; key: string[] }> = {
  settings: { columns: { name: 'text', value: 'text' }, key: ['name'] },
  projects: { columns: { tenant_id: 'integer', name: 'text', created_on: 'text' }, key: ['tenant_id', 'name'] },
  tokens: {
    columns: {
      tenant_id: 'integer',
      id: 'text',
      name: 'text',
      secret_hash: 'text',
      role: 'text',
      scopes: 'text',
      expires_on: 'text?',
      created_by: 'text',
      created_on: 'text',
      last_used_on: 'text?',
      revoked_on: 'text?',
    },
    key: ['tenant_id', 'id'],
  },
  users: {
    columns: {
      tenant_id: 'integer',
      id: 'text',
      name: 'text',
      role: 'text',
      password_hash: 'text',
      created_on: 'text',
    },
    key: ['tenant_id', 'id'],
  },
  advisories: {
    columns: { tenant_id: 'integer', id: 'text', modified: 'text', withdrawn: 'text?', record: 'text' },
    key: ['tenant_id', 'id'],
  },
  advisory_identifiers: {
    columns: { tenant_id: 'integer', identifier_key: 'text', advisory_id: 'text' },
    key: ['tenant_id', 'identifier_key', 'advisory_id'],
  },
  advisory_packages: {
    columns: { tenant_id: 'integer', ecosystem: 'text', package_name: 'text', advisory_id: 'text' },
    key: ['tenant_id', 'ecosystem', 'package_name', 'advisory_id'],
  },
  patch_sets: {
    columns: {
      tenant_id: 'integer',
      ecosystem: 'text',
      package_name: 'text',
      package_version: 'text',
      iteration: 'integer',
      readme: 'text?',
      patches: 'text',
      identifiers: 'text',
      digest: 'text',
      imported_on: 'text',
    },
    key: ['tenant_id', 'ecosystem', 'package_name', 'package_version', 'iteration'],
  },
  scans: {
    columns: {
      tenant_id: 'integer',
      id: 'text',
      project_name: 'text',
      source: 'text',
      role: 'text',
      format: 'text',
      package_count: 'integer',
      vulnerable_package_count: 'integer',
      created_on: 'text',
    },
    key: ['tenant_id', 'project_name', 'id'],
  },
  components: {
    columns: {
      tenant_id: 'integer',
      project_name: 'text',
      role: 'text',
      source: 'text',
      ecosystem: 'text',
      package_name: 'text',
      origin_version: 'text',
      iteration: 'integer',
    },
    key: ['tenant_id', 'project_name', 'role', 'source', 'ecosystem', 'package_name', 'origin_version', 'iteration'],
  },
  vulnerable_packages: {
    columns: {
      tenant_id: 'integer',
      id: 'integer',
      project_name: 'text',
      role: 'text',
      ecosystem: 'text',
      package_name: 'text',
      package_version: 'text',
      fix_availability: 'text',
      sealed_version: 'text?',
      vulnerabilities: 'text',
      is_hidden: 'integer',
      project_folded: 'text',
      package_folded: 'text',
      first_seen_on: 'text',
      last_seen_on: 'text',
    },
    key: ['tenant_id', 'id'],
  },
  fixes: {
    columns: {
      tenant_id: 'integer',
      id: 'text',
      ecosystem: 'text',
      package_name: 'text',
      origin_version: 'text',
      requested_identifiers: 'text',
      status: 'text',
      reason: 'text?',
      sealed_version: 'text?',
      closed_identifiers: 'text',
      report: 'text?',
      attempts: 'counter',
      lease_owner: 'text?',
      lease_until: 'text?',
      created_on: 'text',
      updated_on: 'text',
    },
    key: ['tenant_id', 'id'],
  },
  sealed_packages: {
    columns: {
      tenant_id: 'integer',
      ecosystem: 'text',
      package_name: 'text',
      origin_version: 'text',
      iteration: 'integer',
      sealed_version: 'text',
      fix_id: 'text',
      file_name: 'text',
      sha256: 'text',
      shasum: 'text',
      integrity: 'text',
      size_bytes: 'integer',
      manifest: 'text',
      closed_identifiers: 'text',
      patches: 'text',
      published_on: 'text',
    },
    key: ['tenant_id', 'ecosystem', 'package_name', 'origin_version', 'iteration'],
  },
  pulls: {
    columns: {
      tenant_id: 'integer',
      project_name: 'text',
      ecosystem: 'text',
      package_name: 'text',
      package_version: 'text',
      pull_count: 'integer',
      first_on: 'text',
      last_on: 'text',
    },
    key: ['tenant_id', 'project_name', 'ecosystem', 'package_name', 'package_version'],
  },
  audit_entries: {
    columns: {
      tenant_id: 'integer',
      id: 'text',
      actor: 'text',
      action: 'text',
      subject: 'text',
      detail: 'text',
      created_on: 'text',
    },
    key: ['tenant_id', 'id'],
  },
  idempotency_keys: {
    columns: {
      tenant_id: 'integer',
      key: 'text',
      owner: 'text',
      request_hash: 'text',
      status: 'integer?',
      location: 'text?',
      body: 'text?',
      alive_on: 'text',
    },
    key: ['tenant_id', 'key'],
  },
};

const indexes = [
  'create index idempotency_keys_alive on idempotency_keys (tenant_id, alive_on)',
  'create unique index tokens_secret on tokens (secret_hash)',
  'create index scans_source on scans (tenant_id, project_name, role, source, created_on)',
  'create unique index users_name on users (tenant_id, name)',
  `create unique index vulnerable_packages_key on vulnerable_packages
     (tenant_id, project_name, role, ecosystem, package_name, package_version)`,
  'create index vulnerable_packages_package on vulnerable_packages (tenant_id, ecosystem, package_name)',
  'create index components_package on components (tenant_id, ecosystem, package_name, origin_version)',
  'create index advisory_packages_advisory on advisory_packages (tenant_id, advisory_id)',
  'create index advisory_identifiers_advisory on advisory_identifiers (tenant_id, advisory_id)',
  'create unique index sealed_packages_file on sealed_packages (tenant_id, ecosystem, package_name, file_name)',
  'create index sealed_packages_integrity on sealed_packages (tenant_id, integrity)',
  'create index fixes_package on fixes (tenant_id, ecosystem, package_name, origin_version, id)',
  // One fix of a package version is under way at a time, whoever asks.
  `create unique index fixes_under_way on fixes (tenant_id, ecosystem, package_name, origin_version)
     where status in ('queued', 'building')`,
];

function tableWith(
  db: Kysely<unknown>,
  table: string,
  columns: Record<string, Column>,
  capabilities: DatabaseCapabilities,
): CreateTableBuilder<string, string> {
  let builder: CreateTableBuilder<string, string> = db.schema.createTable(table);
  for (const [name, kind] of Object.entries(columns)) {
    const isText = kind.startsWith('text');
    builder = builder.addColumn(name, isText ? capabilities.textType : capabilities.integerType, (column) => {
      if (kind === 'counter') return column.notNull().defaultTo(0);
      return kind.endsWith('?') ? column : column.notNull();
    });
  }
  return builder;
}

async function createTenants(db: Kysely<unknown>, capabilities: DatabaseCapabilities): Promise<void> {
  await db.schema
    .createTable('tenants')
    .addColumn('id', 'integer', (column) => column.primaryKey().notNull())
    .addColumn('name', capabilities.textType, (column) => column.notNull().unique())
    .addColumn('rule_counter', capabilities.integerType, (column) => column.notNull().defaultTo(0))
    .addColumn('vulnerable_package_counter', capabilities.integerType, (column) => column.notNull().defaultTo(0))
    .addColumn('created_on', capabilities.textType, (column) => column.notNull())
    .execute();
}

/** The checks say what the domain type says: whole tenant or one project, every package or one version, one outcome. */
async function createSealingRules(db: Kysely<unknown>, capabilities: DatabaseCapabilities): Promise<void> {
  const text = capabilities.textType;
  await capabilities
    .createClusteredTable(db, 'sealing_rules')
    .addColumn('project_name', text)
    .addColumn('package_name', text)
    .addColumn('package_version', text)
    .addColumn('sealed_name', text)
    .addColumn('outcome', text, (column) => column.notNull())
    .addColumn('pinned_version', text)
    .addColumn('project_folded', text)
    .addColumn('package_folded', text)
    .addColumn('package_key', text)
    .addColumn('created_on', text, (column) => column.notNull())
    .addColumn('wire', text, (column) => column.notNull())
    .addCheckConstraint(
      'rule_subject',
      sql`(package_name is null) = (package_version is null)
      and (package_name is null) = (sealed_name is null)`,
    )
    .addCheckConstraint(
      'rule_outcome',
      sql`outcome in ('pinned', 'safest', 'origin')
      and (outcome = 'pinned') = (pinned_version is not null)`,
    )
    .addCheckConstraint('rule_every_package', sql`package_name is not null or outcome = 'safest'`)
    .addCheckConstraint(
      'rule_folded',
      sql`(project_name is null) = (project_folded is null)
      and (package_name is null) = (package_folded is null)
      and (package_name is null) = (package_key is null)`,
    )
    .addForeignKeyConstraint('rule_tenant', ['tenant_id'] as never[], 'tenants', ['id'])
    .addCheckConstraint('rule_id', sql`id / 4294967296 = tenant_id`)
    .execute();
  await sql`create unique index sealing_rules_key on sealing_rules
    (tenant_id, coalesce(package_name, ''), coalesce(package_version, ''), coalesce(project_name, ''))`.execute(db);
  await sql`create index sealing_rules_package on sealing_rules (tenant_id, package_key)`.execute(db);
}
