import { afterAll, beforeAll, expect, test } from 'vitest';
import { writePastSweep } from './past-sweep.js';
import { createProject, type TestProject } from './project.js';

let project: TestProject;
beforeAll(async () => {
  project = await createProject({ '.agents/scripts/README.md': '' });
});
afterAll(() => project.remove());

/** The command that a message suggests, when this one was started by npx, by an npm script, or directly. */
async function hints(...args: string[]): Promise<string[]> {
  const ended = await Promise.all(['exec', 'run-script', ''].map((npm_command) => project.cli(args, { npm_command })));
  return ended.map(({ stdout, stderr }) => /`[^`]*`/.exec(stdout + stderr)?.[0] ?? '');
}

const as = (words: string): string[] => [
  ...[`\`npx --no llm-tool-test ${words}\``, `\`npx --no llm-tool-test ${words}\``, `\`llm-tool-test ${words}\``],
];

test('commands in messages can be copied: they begin with npx if npm started this command', async () => {
  expect(await hints('sweeps')).toEqual(as('run'));
  expect(await hints('scripts', 'list')).toEqual(as('scripts new <name>'));
  writePastSweep(project.results, null, { id: 'open', daysAgo: 1, open: true });
  expect(await hints('retry', 'latest')).toEqual(as('resume open'));
});
