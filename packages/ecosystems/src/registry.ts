import { apk } from './apk/index.ts';
import { deb } from './deb/index.ts';
import type { Ecosystem } from './ecosystem.ts';
import type { EcosystemId } from './ecosystem-id.ts';
import { maven } from './maven/index.ts';
import { npm } from './npm/index.ts';
import { pypi } from './pypi/index.ts';
import { rpm } from './rpm/index.ts';

export const ecosystems: Readonly<Record<EcosystemId, Ecosystem>> = { npm, pypi, maven, rpm, deb, apk };
