import { expect, onTestFinished, test } from 'vitest';
import { cellsOf, createProject, openRun } from '../commands/project.js';
import { blocks } from './documents.js';

const example = (language: string): string =>
  blocks(language).find(
    ({ place, text }) => place.startsWith('specs/reference/agents.md') && /keeper|createAgent/.test(text),
  )?.text ?? '';

const file = (name: string, mocks: string, said: string): string => `name: ${name}
agent: keeper
setup: { mocks: [${mocks}] }
run:
  - input: How many lamps are there?
    evaluations:
      - { type: string_contains, value: There are ${said} lamps. }
      - { type: trajectory_contains_action, action: CHECK_STOCK }
`;

test('the module in the reference is an agent, whose service can be mocked', async () => {
  const project = await createProject({
    'llm-tool-test-config.toml': example('toml'),
    'keeper.ts': example('ts'),
    'real.scenario.yaml': file('real', '', '3'),
    'mocked.scenario.yaml': file('mocked', '{ service: stock, method: count, response: 12 }', '12'),
  });
  onTestFinished(() => project.remove());
  const { document, stderr } = await project.run(['real.scenario.yaml', 'mocked.scenario.yaml']);
  for (const name of ['real', 'mocked']) {
    const folder = await openRun(cellsOf(document, name));
    expect(folder.run, stderr).toMatchObject({ outcome: 'pass' });
    expect(await folder.text('artifacts/events.jsonl')).toContain('message 1');
  }
});
