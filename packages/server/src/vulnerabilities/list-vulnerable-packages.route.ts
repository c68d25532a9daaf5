import { type EndpointInput, endpoints } from '@sealsmith/contract';
import { ecosystemFromWire } from '@sealsmith/ecosystems';
import type { Database } from '../database/database.ts';
import type { CursorCodec } from '../platform/http/cursor.ts';
import { defineRoute } from '../platform/http/route.ts';
import { presentVulnerablePackage, roleFromWire } from './vulnerable-package.ts';
import { listVulnerablePackages, type VulnerablePackageFilters } from './vulnerable-package-store.ts';

export function listVulnerablePackagesRoute({ database, cursors }: { database: Database; cursors: CursorCodec }) {
  return defineRoute(endpoints.listVulnerablePackages, async ({ query }, { caller }) => {
    const { limit, cursor } = query;
    const filters = filtersOf(query);
    const binding = { tenantId: caller.tenantId, list: 'vulnerable-packages', filters: { ...filters } };
    const after = cursor === undefined ? 0 : Number(cursors.decode(cursor, binding)[0]);
    const found = await listVulnerablePackages(database, caller, filters, { after, limit: limit + 1 });
    const rows = found.slice(0, limit);
    const last = rows.at(-1);
    const nextPage = found.length > limit && last ? cursors.encode([last.id], binding) : null;
    return { status: 200, body: { items: rows.map(presentVulnerablePackage), next_page: nextPage } };
  });
}

type Query = EndpointInput<typeof endpoints.listVulnerablePackages>['query'];

function filtersOf(query: Query): VulnerablePackageFilters {
  return {
    packageNameContains: query.package_name_contains ?? null,
    projectNameContains: query.project_name_filter ?? null,
    ecosystem: query.ecosystem === undefined ? null : ecosystemFromWire(query.ecosystem),
    fixAvailability: query.fix_availability ?? null,
    isHidden: query.is_hidden,
    role: roleFromWire(query.access_token_role),
  };
}
