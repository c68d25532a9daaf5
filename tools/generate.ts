// Writes what is generated from the code and committed: docs/api/openapi.json. `--check` only says whether it is current.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { openApiDocument } from '@sealsmith/contract';
import server from '../packages/server/package.json' with { type: 'json' };

const target = new URL('../docs/api/openapi.json', import.meta.url);
const text = `${JSON.stringify(openApiDocument(server.version), null, 2)}\n`;

if (process.argv.includes('--check')) {
  if (readFileSync(target, 'utf8') !== text) {
    console.error('docs/api/openapi.json is not current: run `npm run generate`');
    process.exitCode = 1;
  }
} else {
  mkdirSync(new URL('.', target), { recursive: true });
  writeFileSync(target, text);
}
