// Writes the JSON Schemas of the package, as the built command prints them. A test fails if they are out of date.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
mkdirSync(join(root, 'schema'), { recursive: true });
for (const name of ['scenario', 'config', 'rubric', 'events']) {
  const args = [join(root, 'dist/cli.js'), 'schema', ...(name === 'scenario' ? [] : [`--${name}`])];
  writeFileSync(join(root, 'schema', `${name}.schema.json`), execFileSync(process.execPath, args));
}
