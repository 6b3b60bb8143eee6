import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const read = (path: string): string => readFileSync(join(import.meta.dirname, '../..', path), 'utf8');

it('the example has the current library', () => {
  expect(read('fixtures/agent_scripts/.agents/lib/script.ts')).toBe(read('.agents/lib/script.ts'));
});

it('the example tells its agent about the scripts with the text of `scripts prompt`', () => {
  expect(read('fixtures/agent_scripts/AGENTS.md')).toContain(read('src/commands/templates/agent-scripts/prompt.md'));
});
