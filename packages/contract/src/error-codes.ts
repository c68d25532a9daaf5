/**
 * Every error code that the service answers with, its HTTP status and its title. Codes are stable: clients may switch on
 * them. This table is the only place where a status is chosen for a code.
 */
export const errorCodes = {
  malformed_request: { status: 400, title: 'The request is malformed' },
  invalid_cursor: { status: 400, title: 'The cursor cannot be read' },
  unauthorized: { status: 401, title: 'No valid access token' },
  forbidden: { status: 403, title: 'The token lacks the scope' },
  not_found: { status: 404, title: 'Nothing is found there' },
  library_version_not_found: { status: 404, title: 'The library version is not known' },
  sealed_version_not_found: { status: 404, title: 'There is no sealed version' },
  vulnerability_impact_not_found: { status: 404, title: 'The vulnerability does not concern this version' },
  package_version_not_found: { status: 404, title: 'The upstream registry does not have this version' },
  method_not_allowed: { status: 405, title: 'The method is not allowed' },
  rule_exists: { status: 409, title: 'A rule with this key exists' },
  project_exists: { status: 409, title: 'A project with this name exists' },
  idempotency_key_in_use: { status: 409, title: 'A request with this idempotency key is under way' },
  payload_too_large: { status: 413, title: 'The body is too large' },
  unsupported_media_type: { status: 415, title: 'The media type is not supported' },
  invalid_parameter: { status: 422, title: 'A parameter is missing or out of range' },
  inconsistent_rule: { status: 422, title: 'The rule contradicts itself' },
  invalid_manifest: { status: 422, title: 'The lockfile or package list cannot be read' },
  not_vulnerable: { status: 422, title: 'Nothing known is wrong with this version' },
  idempotency_key_reused: { status: 422, title: 'The idempotency key belongs to another request' },
  rate_limited: { status: 429, title: 'Too many requests' },
  internal_error: { status: 500, title: 'Something went wrong inside the service' },
  upstream_unavailable: { status: 503, title: 'The upstream registry does not answer' },
  service_unavailable: { status: 503, title: 'The service is not ready' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ErrorCode = keyof typeof errorCodes;
