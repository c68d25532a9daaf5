import type { Scope, TokenRole } from '@sealsmith/contract';

export type TenantId = number & { readonly brand: 'TenantId' };

/** What every store function takes first: whose rows it may touch. */
export interface TenantScope {
  tenantId: TenantId;
}

/** Who makes a request: a token of one tenant. */
export interface Caller extends TenantScope {
  tokenId: string;
  role: TokenRole;
  scopes: ReadonlySet<Scope>;
}

export function tenantScope(tenantId: number): TenantScope {
  return { tenantId: tenantId as TenantId };
}
