import type { FixAvailability, FixStatus, TokenRole } from '@sealsmith/contract';
import type { EcosystemId } from '@sealsmith/ecosystems';
import type { Generated } from 'kysely';

/**
 * Every table. `tenant_id` leads every primary key and every index. Times are ISO 8601 text in UTC with milliseconds,
 * JSON columns are text. Tenant {@link sharedTenantId} owns what the operator imported for everybody.
 */
export interface Schema {
  settings: SettingsTable;
  tenants: TenantsTable;
  projects: ProjectsTable;
  tokens: TokensTable;
  users: UsersTable;
  sealing_rules: SealingRulesTable;
  advisories: AdvisoriesTable;
  advisory_identifiers: AdvisoryIdentifiersTable;
  advisory_packages: AdvisoryPackagesTable;
  patch_sets: PatchSetsTable;
  scans: ScansTable;
  components: ComponentsTable;
  vulnerable_packages: VulnerablePackagesTable;
  fixes: FixesTable;
  sealed_packages: SealedPackagesTable;
  pulls: PullsTable;
  audit_entries: AuditEntriesTable;
  idempotency_keys: IdempotencyKeysTable;
}

/** Owner of the advisories and patches that every tenant sees. No token belongs to it. */
export const sharedTenantId = 0;

/** What belongs to the installation as a whole: secrets made at the first start, markers. */
export interface SettingsTable {
  name: string;
  value: string;
}

export interface TenantsTable {
  id: Generated<number>;
  name: string;
  /** Number of the rule created last; see `sealing_rules.id`. */
  rule_counter: Generated<number>;
  /** Number of the vulnerable package recorded last. */
  vulnerable_package_counter: Generated<number>;
  created_on: string;
}

export interface ProjectsTable {
  tenant_id: number;
  name: string;
  created_on: string;
}

export interface TokensTable {
  tenant_id: number;
  id: string;
  name: string;
  /** SHA-256 of the token in hex; the token itself is stored nowhere. */
  secret_hash: string;
  role: TokenRole;
  /** Scopes separated by spaces. */
  scopes: string;
  expires_on: string | null;
  created_by: string;
  created_on: string;
  last_used_on: string | null;
  revoked_on: string | null;
}

export interface UsersTable {
  tenant_id: number;
  id: string;
  name: string;
  role: 'admin' | 'sealer' | 'collaborator' | 'watcher';
  /** `scrypt$N$r$p$salt$hash`, base64url. */
  password_hash: string;
  created_on: string;
}

export interface SealingRulesTable {
  tenant_id: number;
  /** `tenant_id * 2^32 + n`, n counted up in the tenant: orders by creation and clusters a tenant's rules. */
  id: number;
  /** null: the whole tenant. */
  project_name: string | null;
  /** The three are null together: every package. */
  package_name: string | null;
  package_version: string | null;
  sealed_name: string | null;
  outcome: 'pinned' | 'safest' | 'origin';
  /** Set exactly for `pinned`. */
  pinned_version: string | null;
  /** Lower-case copies that the substring filters read; null like their originals. */
  project_folded: string | null;
  package_folded: string | null;
  /** The package name as the most forgiving ecosystem normalises it: finds the candidates for a package. */
  package_key: string | null;
  created_on: string;
  /** The rule as the API shows it, JSON: a page of a list is these texts, one after the other. */
  wire: string;
}

export interface AdvisoriesTable {
  tenant_id: number;
  id: string;
  modified: string;
  withdrawn: string | null;
  /** The parsed advisory as JSON. */
  record: string;
}

/** Every id and alias by which an advisory is found. */
export interface AdvisoryIdentifiersTable {
  tenant_id: number;
  identifier_key: string;
  advisory_id: string;
}

export interface AdvisoryPackagesTable {
  tenant_id: number;
  ecosystem: EcosystemId;
  package_name: string;
  advisory_id: string;
}

/** One iteration of the patches for one package version. */
export interface PatchSetsTable {
  tenant_id: number;
  ecosystem: EcosystemId;
  package_name: string;
  package_version: string;
  iteration: number;
  readme: string | null;
  /** JSON array of `{fileName, sequence, text, identifiers}`. */
  patches: string;
  /** JSON array of every identifier that the patches close. */
  identifiers: string;
  /** SHA-256 over the patches, to tell an unchanged set. */
  digest: string;
  imported_on: string;
}

export interface ScansTable {
  tenant_id: number;
  id: string;
  project_name: string;
  source: string;
  role: TokenRole;
  format: string;
  package_count: number;
  vulnerable_package_count: number;
  created_on: string;
}

/** What the last scan of each source of a project saw. */
export interface ComponentsTable {
  tenant_id: number;
  project_name: string;
  role: TokenRole;
  source: string;
  ecosystem: EcosystemId;
  package_name: string;
  origin_version: string;
  /** 0 for the origin itself, else the iteration of the sealed version that was seen. */
  iteration: number;
}

export interface VulnerablePackagesTable {
  tenant_id: number;
  /** Counted up in the tenant. */
  id: number;
  project_name: string;
  role: TokenRole;
  ecosystem: EcosystemId;
  package_name: string;
  package_version: string;
  fix_availability: FixAvailability;
  sealed_version: string | null;
  /** JSON array of the contract's vulnerabilities. */
  vulnerabilities: string;
  is_hidden: number;
  project_folded: string;
  package_folded: string;
  first_seen_on: string;
  last_seen_on: string;
}

export interface FixesTable {
  tenant_id: number;
  id: string;
  ecosystem: EcosystemId;
  package_name: string;
  origin_version: string;
  /** JSON array of the identifiers asked for; empty for everything. */
  requested_identifiers: string;
  status: FixStatus;
  reason: string | null;
  sealed_version: string | null;
  /** JSON array of the identifiers that the sealed version closes. */
  closed_identifiers: string;
  /** JSON report of the stages, or null. */
  report: string | null;
  attempts: number;
  /** The worker that holds the job; null when nobody does. */
  lease_owner: string | null;
  /** Before this time nobody may claim the job: it is held, or its next attempt is put off. null: claim it at once. */
  lease_until: string | null;
  created_on: string;
  updated_on: string;
}

export interface SealedPackagesTable {
  tenant_id: number;
  ecosystem: EcosystemId;
  package_name: string;
  origin_version: string;
  iteration: number;
  sealed_version: string;
  fix_id: string;
  file_name: string;
  /** The artifact's blob. */
  sha256: string;
  shasum: string;
  /** Subresource Integrity, sha512. */
  integrity: string;
  size_bytes: number;
  /** JSON of the version's manifest as its repository serves it, without addresses. */
  manifest: string;
  /** JSON array of every identifier that this version closes. */
  closed_identifiers: string;
  /** JSON array of `{fileName, text, identifiers}`: exactly what was applied. */
  patches: string;
  published_on: string;
}

export interface PullsTable {
  tenant_id: number;
  project_name: string;
  ecosystem: EcosystemId;
  package_name: string;
  package_version: string;
  pull_count: number;
  first_on: string;
  last_on: string;
}

export interface AuditEntriesTable {
  tenant_id: number;
  id: string;
  actor: string;
  action: string;
  subject: string;
  /** JSON. */
  detail: string;
  created_on: string;
}

export interface IdempotencyKeysTable {
  tenant_id: number;
  key: string;
  /** The request that answers for the key. */
  owner: string;
  /** SHA-256 over method, path and body. */
  request_hash: string;
  /** null while the first request is under way. */
  status: number | null;
  location: string | null;
  body: string | null;
  /** When the request was last known to be worked on. */
  alive_on: string;
}
