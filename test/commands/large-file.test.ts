import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { partOf, foldersOf } from './engine-parts.js';
import { letGo, untilStarted, writeGated } from './gated.js';
import { createProject, documentOf, EMPTY_FIXTURE, openRun, scenario, until } from './project.js';

/** The agent writes a log of 92 MB; the gate looks for its last line. */
const LOG = `run: "yes 'a line of an ordinary log' | head -n 3540000 >log.txt; echo 'total: 42' >>log.txt"`;
const FOUND = String.raw`(?m)^total: \d+$`;
/** Takes an hour or more on that file. */
const ENDLESS = String.raw`(?s)(?:.*?a){900}.{900}\d`;

test('of the gates on a file of 92 MB one passes, one ends at its time limit, and one that never ends blocks neither the worker nor other runs', async ({
  onTestFinished,
}) => {
  const project = await createProject(EMPTY_FIXTURE);
  onTestFinished(() => project.remove());
  const gate = (pattern: string, timeoutSecs: number): string =>
    `{type: file_matches, path: log.txt, pattern: '${pattern}', timeout_secs: ${timeoutSecs}}`;
  const gates = [gate(FOUND, 3600), gate(ENDLESS, 1), gate(ENDLESS, 3600)];
  await project.write('fixtures/large.yaml', scenario('large', { gates, steps: [LOG] }));
  await writeGated(project, 'other');
  const command = project.start(['run', 'large', 'other', '--name', 'large', '--json']);
  await untilStarted(project, 'other');
  const worker = await until('a worker', () => partOf(project, 'worker'));
  const hasBegun = (step: string): boolean =>
    foldersOf(project, 'large')
      .map((folder) => join(folder, 'fences'))
      .filter((fences) => existsSync(fences))
      .some((fences) => readdirSync(fences).some((name) => name.startsWith(`${step}.`)));
  await until('the endless gate is under way', () => (hasBegun('gate-3') ? true : null));
  await letGo(project, 'other');
  await until('the other run has ended', async () =>
    (await project.resultLines()).some(({ scenario_id }) => scenario_id === 'other') ? true : null,
  );
  expect((await project.cli(['cancel', 'large'])).exitCode).toBe(0);
  const { exitCode, stdout } = await command;
  expect(exitCode).toBe(130);
  const document = documentOf(stdout);
  expect(document.totals).toMatchObject({ passed: 1, cancelled: 1 });
  const cell = document.cells.findIndex(({ scenario: name }) => name === 'large');
  const { run, metrics } = await openRun(document, cell);
  expect(metrics.details).toMatchObject([
    { status: 'pass' },
    { status: 'fail', message: expect.stringMatching(/^not finished within 1 s: /) as string },
  ]);
  for (const step of ['gate 1', 'gate 2'])
    expect(run.steps.find(({ name }) => name === step)).toMatchObject({ attempts: 1 });
  // The keeper would have replaced a worker that gives no sign of life.
  expect(await partOf(project, 'worker')).toEqual(worker);
});
