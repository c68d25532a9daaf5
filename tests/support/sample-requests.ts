import type { EndpointId } from '@sealsmith/contract';
import { osvRecord, plainTemplate, plainTemplateFix, plainTemplatePatchSet } from './plain-template.ts';

export interface SampleRequest {
  path: string;
  body?: unknown;
}

const rule = {
  project_name: 'storefront',
  vulnerable_package_name: plainTemplate.name,
  vulnerable_package_version: plainTemplate.vulnerable,
  sealed_package_name: plainTemplate.name,
  sealed_package_version: '<SAFEST>',
};
const ruleKey = 'project_name=other&vulnerable_package_name=plain-template&vulnerable_package_version=1.4.2';

/**
 * A request to each endpoint that succeeds or gets as far as its own 404; what holds for every endpoint is
 * tested with it.
 */
export const sampleRequests: Record<EndpointId, SampleRequest> = {
  listVulnerablePackages: { path: '/packages/vulnerable' },
  setVulnerablePackageHidden: {
    path: '/packages/vulnerable/hidden',
    body: {
      project_name: 'storefront',
      ecosystem: 'NPM',
      package_name: plainTemplate.name,
      package_version: plainTemplate.vulnerable,
      is_hidden: true,
    },
  },
  listSealingRules: { path: '/sealing-rules' },
  createSealingRule: { path: '/sealing-rules', body: rule },
  putSealingRule: { path: '/sealing-rules', body: { ...rule, project_name: 'warehouse' } },
  deleteSealingRule: { path: `/sealing-rules?${ruleKey}` },
  resolveSealingRules: { path: '/sealing-rules/resolve', body: { project_name: 'storefront', packages: [] } },
  generateFix: { path: '/generate-fix', body: plainTemplateFix },
  listFixes: { path: '/fixes' },
  getFix: { path: '/fixes/sample' },
  getValidationPrompt: {
    path: `/patches/validation-prompt?ecosystem=NPM&package_name=${plainTemplate.name}&vulnerable_version=${plainTemplate.vulnerable}&vulnerability_identifier=${plainTemplate.cve}`,
  },
  importPatches: {
    path: '/patches/import',
    body: { patch_sets: [{ ...plainTemplatePatchSet, package_version: '1.0.0' }] },
  },
  createScan: { path: '/projects/storefront/scans', body: { packages: [] } },
  listScans: { path: '/projects/storefront/scans' },
  listProjects: { path: '/projects' },
  createProject: { path: '/projects', body: { name: 'warehouse' } },
  importAdvisories: { path: '/advisories/import', body: osvRecord('CVE-2026-2000', 'other-template') },
};
