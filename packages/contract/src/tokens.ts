import { z } from 'zod';

export const scopes = ['read', 'artifacts', 'scans', 'rules', 'fixes'] as const;
export const scopeSchema = z.enum(scopes);
export type Scope = (typeof scopes)[number];

/** Roles as they are stored; the wire of `access_token_role` capitalises them. */
export const tokenRoles = ['production', 'development'] as const;
export const tokenRoleSchema = z.enum(tokenRoles);
export type TokenRole = (typeof tokenRoles)[number];
