import type { GenerateFixInput } from '@sealsmith/contract';
import {
  ecosystemFromWire,
  InvalidNameError,
  InvalidVersionError,
  normalizeName,
  originVersionOf,
  sealedVersionOf,
} from '@sealsmith/ecosystems';
import type { OriginVersion } from '../patches/stored-patch-set.ts';
import { AppError } from '../platform/app-error.ts';

export interface FixRequest extends OriginVersion {
  /** As the client wrote them, without repeats; empty for everything. */
  requestedIdentifiers: string[];
}

/**
 * Reads what is asked for. A sealed version counts as its origin.
 * @throws AppError `invalid_parameter` naming the field that its ecosystem does not accept
 */
export function readFixRequest(body: GenerateFixInput): FixRequest {
  const ecosystem = ecosystemFromWire(body.ecosystem);
  if (ecosystem === null) throw invalid('ecosystem', `${body.ecosystem} is not a supported ecosystem.`);
  const originVersion = originVersionOf(ecosystem, body.vulnerable_version);
  try {
    const packageName = normalizeName(ecosystem, body.package_name);
    // Only what has a sealed spelling can be sealed at all.
    sealedVersionOf(ecosystem, originVersion, 1);
    const requestedIdentifiers = [...new Set(body.vulnerability_identifiers)];
    return { ecosystem, packageName, originVersion, requestedIdentifiers };
  } catch (error) {
    if (error instanceof InvalidNameError) throw invalid('package_name', error.message);
    if (error instanceof InvalidVersionError) throw invalid('vulnerable_version', error.message);
    throw error;
  }
}

function invalid(name: string, message: string): AppError {
  return new AppError('invalid_parameter', message, { problems: [{ location: 'body', name, message }] });
}
