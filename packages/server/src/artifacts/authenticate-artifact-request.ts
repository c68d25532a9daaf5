import { projectNameSchema } from '@sealsmith/contract';
import { type Authenticator, bearerSecret, requireScope } from '../access/authenticate.ts';
import { AppError } from '../platform/app-error.ts';
import type { Caller } from '../platform/tenancy.ts';

export interface ArtifactCaller {
  caller: Caller;
  /** Empty when the client does not say for which project it asks. */
  projectName: string;
}

const challenge = 'Basic realm="sealsmith", Bearer realm="sealsmith"';

/**
 * Package managers know two schemes: Bearer with the token, and Basic with the project as user (may be empty) and the
 * token as password.
 * @throws AppError `unauthorized`, `forbidden` without the scope `artifacts`, `malformed_request` for an impossible project
 */
export async function authenticateArtifactRequest(
  authenticator: Authenticator,
  authorization: string | undefined,
): Promise<ArtifactCaller> {
  const basic = basicCredentials(authorization);
  const caller = await authenticate(authenticator, basic ? basic.password : bearerSecret(authorization));
  requireScope(caller, 'artifacts');
  return { caller, projectName: parseProjectName(basic?.user ?? '') };
}

async function authenticate(authenticator: Authenticator, secret: string | null): Promise<Caller> {
  try {
    return await authenticator.authenticate(secret);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'unauthorized') throw error;
    throw new AppError('unauthorized', error.detail, { cause: error, headers: { 'www-authenticate': challenge } });
  }
}

function basicCredentials(authorization: string | undefined): { user: string; password: string } | null {
  const match = /^Basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(authorization ?? '');
  if (match === null) return null;
  const [, user, password] = /^([^:]*):(.*)$/s.exec(Buffer.from(match[1] ?? '', 'base64').toString('utf8')) ?? [];
  return user === undefined || password === undefined ? null : { user, password };
}

/** Asked only after the token: who has none learns nothing but that. */
function parseProjectName(user: string): string {
  if (user === '' || projectNameSchema.safeParse(user).success) return user;
  throw new AppError(
    'malformed_request',
    'The user of Basic authentication is the name of the project (letters, digits, ".", "_", "-") or empty.',
  );
}
