import { afterAll, beforeAll, expect, test } from 'vitest';
import { copyExamples, createProject, openRun, type RunFolder, type TestProject } from '../../commands/project.js';
import { provideCli } from '../clis.js';
import { startModelServer, type ModelServer } from '../model-server/server.js';

const ADD = 'notes add --tag launch "Invite the press" && notes add --tag launch "Book the venue"';
const EXPORT = 'notes export --tag launch --format markdown --output launch.md';

let project: TestProject;
let server: ModelServer;
beforeAll(async () => {
  const program = await provideCli('codex', console.log);
  project = await createProject({
    'llm-tool-test-config.toml': `[agents.codex]\ncommand = ${JSON.stringify(program)}\nmodels = ["gpt-5.5"]\n`,
  });
  await copyExamples(project);
  // The model's knowledge of the target depends on the agent's AGENTS.md.
  server = await startModelServer([
    { when: 'The tag is required', steps: [{ run: ADD }, { run: EXPORT }, { say: 'launch.md is there.' }] },
    {
      when: 'powerful command',
      steps: [
        { run: 'notes --help' },
        { run: 'notes add "Invite the press" -t launch' },
        { run: 'notes add --help' },
        { run: ADD },
        { run: 'notes export launch.md' },
        { run: 'notes export --help' },
        { run: EXPORT },
        { say: 'launch.md is there.' },
      ],
    },
  ]);
});
afterAll(async () => {
  await server.close();
  await project.remove();
});

test('metrics and reports show the difference between a good and a bad AGENTS.md for the same target', async () => {
  const { document } = await project.run(['notes_good_docs', 'notes_bad_docs'], {
    LLM_TOOL_TEST_ENABLED: '1',
    OPENAI_API_KEY: 'key-of-the-test',
    OPENAI_BASE_URL: server.url,
  });
  const open = (name: string): Promise<RunFolder> =>
    openRun(
      document,
      document.cells.findIndex(({ scenario }) => scenario === name),
    );
  const [good, bad] = [await open('notes_good_docs'), await open('notes_bad_docs')];
  const gates = ({ metrics }: RunFolder): string[] => metrics.details.map(({ status }) => status);

  expect([good.run.agent?.ending, good.run.outcome]).toEqual(['done', 'pass']);
  expect(gates(good)).toEqual(['pass', 'pass', 'pass', 'pass']);
  expect(good.metrics.efficiency).toMatchObject({
    total_commands: 3,
    error_count: 0,
    help_invocations: 0,
    first_try_success_rate: 1,
  });
  // The task was completed here too: only the number of commands and errors shows the value of the guidance.
  expect([bad.run.agent?.ending, bad.run.outcome]).toEqual(['done', 'fail']);
  expect(gates(bad)).toEqual(['pass', 'pass', 'fail', 'fail']);
  expect(bad.metrics.efficiency).toMatchObject({
    total_commands: 8,
    error_count: 2,
    help_invocations: 3,
  });
  // `help` works; `add` and `export` do not.
  expect(bad.metrics.efficiency?.first_try_success_rate).toBeCloseTo(1 / 3);
  expect(bad.metrics.composite_score).toBeLessThan(good.metrics.composite_score ?? 0);
  expect(await good.text('report.md')).toContain('3 commands; expected at most 4');
  expect(await bad.text('report.md')).toContain('8 commands; expected at most 4');
}, 300_000);
