export const scopes = ['read', 'artifacts', 'scans', 'rules', 'fixes'] as const;
export type Scope = (typeof scopes)[number];

/** Roles as they are stored; the wire of `access_token_role` capitalises them. */
export const tokenRoles = ['production', 'development'] as const;
export type TokenRole = (typeof tokenRoles)[number];
