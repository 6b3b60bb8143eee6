// Regenerates the tables of the reference pages from the schemas. A test fails if they are out of date.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { importBundled } from './import-bundled.js';
import { withTables } from './tables/blocks.js';

const { tables } = await importBundled(fileURLToPath(new URL('./tables/index.js', import.meta.url)));
const folder = fileURLToPath(new URL('../specs', import.meta.url));
for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
  if (!name.endsWith('.md')) continue;
  const path = join(folder, name);
  writeFileSync(path, await withTables(readFileSync(path, 'utf8'), tables));
}
