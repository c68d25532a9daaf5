import { endpoints } from '@sealsmith/contract';
import { defineRoute } from '../platform/http/route.ts';
import { importPatchSets, type PatchImportDeps } from './import-patch-sets.ts';
import { readPatchSetInput } from './patch-set-input.ts';

export function importPatchesRoute(deps: PatchImportDeps) {
  return defineRoute(endpoints.importPatches, async ({ body }, { caller }) => {
    const importer = { tenantId: caller.tenantId, actor: caller.tokenId };
    const report = await importPatchSets(deps, importer, readItems(body.patch_sets));
    return { status: 200, body: report };
  });
}

async function* readItems(items: readonly unknown[]) {
  for (const [index, item] of items.entries()) yield readPatchSetInput(item, `patch_sets.${index}`);
}
