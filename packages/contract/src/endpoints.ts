import type { Endpoint } from './endpoint.ts';
import { fixEndpoints } from './fixes.ts';
import { advisoryEndpoints, patchEndpoints } from './patches.ts';
import { scanEndpoints } from './scans.ts';
import { sealingRuleEndpoints } from './sealing-rules.ts';
import { vulnerablePackageEndpoints } from './vulnerable-packages.ts';

/** Every endpoint of the API. What is not in this table does not exist. */
export const endpoints = {
  ...vulnerablePackageEndpoints,
  ...sealingRuleEndpoints,
  ...fixEndpoints,
  ...patchEndpoints,
  ...scanEndpoints,
  ...advisoryEndpoints,
} satisfies Record<string, Endpoint>;

export type EndpointId = keyof typeof endpoints;
