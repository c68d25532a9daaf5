import { AppError } from '../../platform/app-error.ts';

/** Why a method that would change something is refused. */
export function refuseMethod(method: string): AppError {
  return new AppError(
    'method_not_allowed',
    `This registry is read-only and does not answer ${method}: sealed versions are published by fixes, all others upstream.`,
    { headers: { allow: 'GET, HEAD' } },
  );
}

/** Why one of the registry's own endpoints (`/-/…`) is not there. */
export function refuseEndpoint(path: string): AppError {
  const reason = reasons.find(([start]) => path.startsWith(start))?.[1] ?? 'This registry does not have this endpoint.';
  return new AppError('not_found', reason);
}

const reasons: readonly (readonly [string, string])[] = [
  // Saying "nothing found" would be a lie; npm installs without a word about the audit when there is no such endpoint.
  ['npm/v1/security/', 'This registry does not answer npm audit; scan the project with Sealsmith instead.'],
  ['v1/search', 'This registry cannot be searched.'],
  ['user/', 'This registry has no log-in; put a Sealsmith access token into .npmrc.'],
  ['v1/login', 'This registry has no log-in; put a Sealsmith access token into .npmrc.'],
  ['npm/v1/tokens', 'Access tokens are made in Sealsmith, not through the registry.'],
];
