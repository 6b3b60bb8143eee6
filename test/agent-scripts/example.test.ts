import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

it('the example has the library as it is', () => {
  const root = join(import.meta.dirname, '../..');
  const read = (path: string): string => readFileSync(join(root, path), 'utf8');
  expect(read('fixtures/agent_scripts/.agents/lib/script.ts')).toBe(read('.agents/lib/script.ts'));
});
