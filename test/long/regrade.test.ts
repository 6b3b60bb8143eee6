import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { kill, linesIn, partOf, untilLines } from '../commands/engine-parts.js';
import { createProject, documentOf, EMPTY_FIXTURE, scenario, until, type TestProject } from '../commands/project.js';

const MODELS = ['one', 'two', 'three', 'four', 'five', 'six'];
const REPEAT = 10;
const CELLS = MODELS.length * REPEAT;

let project: TestProject;

const matrix = `tool_matrix: [{agent: own, models: [${MODELS.join(', ')}]}]\nmatrix: {repeat: ${REPEAT}}`;
const write = (gates: string[]): Promise<void> =>
  project.write('fixtures/many.yaml', scenario('many', { gates, more: matrix }));

beforeAll(async () => {
  project = await createProject(
    {
      ...EMPTY_FIXTURE,
      'llm-tool-test-config.toml': `[agents.own]\ncommand = "./agent.sh"\nargs = ["{model}"]\nfree = true\n`,
    },
    { ownServer: true },
  );
  await project.write('agent.sh', `#!/bin/sh\necho start >> ${project.folder}/starts\necho "$1" > note.txt\n`, 0o755);
});
afterAll(() => project.remove());

const starts = (): number => linesIn(project, 'starts').length;

/** By cell. */
const verdicts = (stdout: string): Record<string, string | null> =>
  Object.fromEntries(documentOf(stdout).cells.map(({ id, outcome, message }) => [id, `${outcome} ${message}`]));

test(`a sweep of ${CELLS} cells is checked again although its worker dies in the middle, with the verdicts of a fresh run`, async () => {
  await write(['{type: file_exists, path: note.txt}']);
  const first = await project.run(['many', '--name', 'first', '--concurrency', '6']);
  expect(first.document.totals).toMatchObject({ cells: CELLS, passed: CELLS });
  expect(starts()).toBe(CELLS);

  // Three of six models pass. After a third of the cells, the gates wait until the worker has died.
  const { folder } = project;
  const waits = `echo gate >> ${folder}/gates; [ $(wc -l < ${folder}/gates) -lt ${CELLS / 3} ] || until [ -e ${folder}/go ]; do sleep 0.05; done`;
  const checks = [
    `{type: command_succeeds, name: waits, command: '${waits}', timeout_secs: 300}`,
    "{type: file_matches, path: note.txt, pattern: '(?m)^(one|three|five)$'}",
  ];
  await write(checks);
  const again = project.start(['regrade', first.document.sweep, '--json', '--concurrency', '6']);
  await untilLines(project, 'gates', CELLS / 3 + 3, 120_000);
  await kill(project, 'worker');
  await project.write('go', '');
  await until('another worker', () => partOf(project, 'worker'));
  const { exitCode, stdout } = await again;
  expect([exitCode, starts()]).toEqual([1, CELLS]);
  const regraded = documentOf(stdout);
  expect(regraded.totals).toMatchObject({ passed: CELLS / 2, failed: CELLS / 2, errored: 0 });
  expect(regraded.cells.every(({ regraded_from }) => regraded_from !== undefined)).toBe(true);
  const lines = (await project.resultLines()).filter(({ sweep }) => sweep === regraded.sweep);
  expect(lines).toHaveLength(CELLS);

  const fresh = await project.cli(['run', 'many', '--json', '--no-cache', '--concurrency', '6']);
  expect(starts()).toBe(2 * CELLS);
  expect(verdicts(stdout)).toEqual(verdicts(fresh.stdout));
}, 600_000);

test('gates that need no program are checked by the sweep itself, and each cell has one result if its worker dies', async () => {
  await write(["{type: file_matches, path: note.txt, pattern: '(?m)^(one|three|five)$'}"]);
  const known = (await project.resultLines()).length;
  const before = starts();
  const again = project.start(['regrade', 'first', '--json', '--concurrency', '6']);
  await untilLines(project, 'llm-tool-test-results/results.jsonl', known + 5, 120_000);
  await kill(project, 'worker');
  const { exitCode, stdout } = await again;
  expect([exitCode, starts()]).toEqual([1, before]);
  const regraded = documentOf(stdout);
  expect(regraded.totals).toMatchObject({ passed: CELLS / 2, failed: CELLS / 2, errored: 0 });
  const lines = (await project.resultLines()).filter(({ sweep }) => sweep === regraded.sweep);
  expect(lines.map(({ cell }) => cell).sort()).toEqual(regraded.cells.map(({ id }) => id).sort());
  expect(
    lines.every(({ results_dir: run }) =>
      existsSync(join(project.folder, 'llm-tool-test-results', run ?? '', 'report.md')),
    ),
  ).toBe(true);
}, 600_000);
