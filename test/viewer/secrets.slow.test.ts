import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunEvent } from '../../src/model/records/events.js';
import { createProject, EMPTY_FIXTURE, scenario, until, type TestProject } from '../commands/project.js';
import { ask, startViewing, watchSweep, type Viewing } from './viewing.js';

const FIRST = 'first-value-that-nobody-may-see';
const SECOND = 'another-value-that-nobody-may-see';

/** Shows the value of its variable wherever it can, and only its length in words that may be read. */
const AGENT = `
const { writeFileSync } = require('node:fs');
const { KEY } = process.env;
const emit = (event) => console.log(JSON.stringify(event));
emit({ type: 'session', session_id: KEY, model_requested: null, model_used: 'model ' + KEY });
emit({ type: 'message', role: 'assistant', text: KEY.length + ' characters: ' + KEY });
emit({ type: 'tool_call', id: '1', name: 'tool', input: { [KEY]: [KEY] }, command: 'login ' + KEY });
emit({ type: 'tool_result', id: '1', exit_code: 1, is_error: true, output: 'x'.repeat(20000) + KEY, truncated: false });
emit({ type: 'error', message: KEY, retryable: false });
writeFileSync('notes.md', 'The key is ' + KEY + '.\\n');
emit({ type: 'result', ending: 'done', exit_code: 0 });
`;

let project: TestProject;
let viewing: Viewing;
let sweep: string;

beforeAll(async () => {
  project = await createProject({
    ...EMPTY_FIXTURE,
    'keys.env': `VIEWED_KEY=${FIRST}\n`,
    'llm-tool-test-config.toml': [
      '[agents.leaky]',
      'command = "./leaky.cjs"',
      'output = "jsonl"',
      'free = true',
      'env = { KEY = "${VIEWED_KEY}" }',
    ].join('\n'),
    'fixtures/leaks.yaml': scenario('leaks', {
      gates: ['{type: script, description: the notes are good, command: "cat notes.md; exit 1"}'],
    }),
  });
  await project.write('leaky.cjs', `#!/usr/bin/env node\n${AGENT}`, 0o755);
  const args = ['leaks', '--agents', 'leaky', '--name', 'leaks', '--env-file', 'keys.env'];
  sweep = (await project.run(args)).document.sweep;
  viewing = await startViewing(project, ['--env-file', 'keys.env']);
});
afterAll(async () => {
  await viewing.stop();
  await project.remove();
});

/** The ids of the runs, newest last. */
const runs = async (): Promise<string[]> => {
  const { stdout } = await project.cli(['show', sweep, '--json']);
  const { cells } = JSON.parse(stdout) as { cells: { results_dir: string | null }[] };
  return cells.map(({ results_dir: folder }) => folder?.split('/').at(-1) ?? '');
};

/** All that the viewer answers about a run and its sweep. */
async function served(run: string): Promise<string> {
  const list = await ask(viewing, '/api/sweeps', { lines: 1 });
  const page = await ask(viewing, `/api/sweeps/${sweep}`, { lines: 1 });
  const ofRun = [`/api/runs/${run}`, `/api/runs/${run}/events`, `/api/runs/${run}/changes`, `/api/runs/${run}/review`];
  const parts = await Promise.all(
    [...ofRun, '/api/trends?scenario=leaks', `/api/compare?base=${sweep}&head=${sweep}`].map((path) =>
      ask(viewing, path),
    ),
  );
  const numbers = eventsIn(parts[1]?.body ?? '').map(({ seq }) => seq);
  expect(numbers.length).toBeGreaterThan(4);
  const whole = await Promise.all(numbers.map((seq) => ask(viewing, `/api/runs/${run}/events/${seq}`)));
  return [list, page, ...parts, ...whole].map(({ body }) => body).join('\n');
}

const eventsIn = (text: string): RunEvent[] =>
  text
    .trim()
    .split('\n')
    .flatMap((line) => (JSON.parse(line) as { events?: RunEvent[] }).events ?? []);

test('values of variables are not served, and not in a report in one file', async () => {
  const [run = ''] = await runs();
  const text = await served(run);
  expect(text).toContain(`${FIRST.length} characters: [REDACTED]`);
  expect(text).toContain('The key is [REDACTED]');
  expect(text).not.toContain(FIRST);
  const file = join(project.folder, 'report.html');
  await project.cli(['report', sweep, '--format', 'html', '--output', file]);
  const report = readFileSync(file, 'utf8');
  expect(report).toContain(`${FIRST.length} characters: [REDACTED]`);
  expect(report).not.toContain(FIRST);
  expect(report).not.toContain(viewing.token);
});

test('a retry has the variables that --env-file has when it begins', async () => {
  const [before] = await runs();
  await project.write('keys.env', `VIEWED_KEY=${SECOND}\n`);
  const origin = `http://127.0.0.1:${viewing.port}`;
  const answer = await ask(viewing, `/api/sweeps/${sweep}/retry?failed=1`, {
    method: 'POST',
    headers: { origin },
  });
  expect([answer.status, answer.body]).toEqual([200, '{}']);
  const watched = watchSweep(viewing, sweep);
  try {
    const isOver = (): boolean | null => {
      const last = watched.last();
      const isNew = last?.runs.every(({ results_dir: folder }) => folder !== null && !folder.endsWith(before ?? ''));
      return last?.document.status === 'completed' && isNew === true ? true : null;
    };
    await until('the round has ended', isOver);
  } finally {
    watched.stop();
  }
  const [run = ''] = await runs();
  const text = await served(run);
  expect(text).toContain(`${SECOND.length} characters: [REDACTED]`);
  expect(text).not.toContain(SECOND);
});

test('a file that cannot be read is a mistake of whoever starts the viewer', async () => {
  const { exitCode, stderr } = await project.cli(['view', '--no-open', '--env-file', 'none.env']);
  expect(exitCode).toBe(2);
  expect(stderr).toContain('none.env');
});
