import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const read = (path: string): string => readFileSync(join(import.meta.dirname, '../..', path), 'utf8');

it('the example has the library as it is', () => {
  expect(read('fixtures/agent_scripts/.agents/lib/script.ts')).toBe(read('.agents/lib/script.ts'));
});

it('the agent of the example is told of the scripts as `scripts prompt` tells', () => {
  expect(read('fixtures/agent_scripts/AGENTS.md')).toContain(read('templates/agent-scripts/prompt.md'));
});
