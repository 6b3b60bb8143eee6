import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { SweepDocument } from '../../src/decide/documents/sweep-document.js';
import { summaryFile } from '../../src/store/results-folder.js';
import { documentOf, createProject, EMPTY_FIXTURE, scenario, type TestProject } from './project.js';

let project: TestProject;

/** Counts the starts of the agent: it writes a line at each start. */
const starts = async (): Promise<number> => {
  const text = await project.read('starts').catch(() => '');
  return text.split('\n').length - 1;
};

beforeAll(async () => {
  project = await createProject({
    ...EMPTY_FIXTURE,
    'llm-tool-test-config.toml': '[agents.own]\ncommand = "./agent.sh"\nfree = true\n',
    'fixtures/never.yaml': scenario('never', {
      gates: ['{type: file_exists, path: never.md}'],
      more: 'tool_matrix: [{tool: own}]',
    }),
  });
  await project.write('agent.sh', `#!/bin/sh\necho start >> ${project.folder}/starts\n`, 0o755);
});
afterAll(() => project.remove());

test('retry --failed starts the agents of failed cells again, and later sweeps reuse the first result', async () => {
  const { document } = await project.run(['never', '--repeat', '3']);
  expect([document.totals.failed, await starts()]).toEqual([3, 3]);
  // A second sweep with the same inputs reuses the failures.
  const again = await project.run(['never', '--repeat', '3']);
  expect([again.document.totals.cached, await starts()]).toEqual([3, 3]);

  for (const { sweep } of [document, again.document]) {
    const before = await starts();
    const { stdout, exitCode } = await project.cli(['retry', sweep, '--failed', '--json']);
    expect(documentOf(stdout).totals).toMatchObject({ failed: 3, cached: 0 });
    expect([exitCode, await starts()]).toEqual([1, before + 3]);
  }
  const firsts = document.cells.map(({ results_dir }) => results_dir);
  const last = await project.run(['never', '--repeat', '3']);
  expect([last.document.totals.cached, await starts()]).toEqual([3, 9]);
  expect(last.document.cells.map(({ results_dir }) => results_dir)).toEqual(firsts);
});

test('a sweep with runs of different builds of the target has a warning, also in summary.json', async () => {
  await project.write('tool', '#!/bin/sh\necho 1\n', 0o755);
  await project.write(
    'fixtures/rebuilt.yaml',
    scenario('rebuilt', {
      target: '{binary: ../tool, files: []}',
      gates: ['{type: file_exists, path: good.md}'],
      // Only the first run fails.
      steps: [`run: 'mkdir ${project.folder}/first || echo x >good.md'`],
    }),
  );
  const summaryOf = async (sweep: string): Promise<SweepDocument> =>
    SweepDocument.parse(JSON.parse(await readFile(summaryFile(project.results, sweep), 'utf8')));
  const { document } = await project.run(['rebuilt', '--repeat', '2', '--agents', 'mock']);
  expect(document.totals).toMatchObject({ failed: 1, passed: 1 });
  expect(await summaryOf(document.sweep)).not.toHaveProperty('warnings');

  await project.write('tool', '#!/bin/sh\necho 2\n', 0o755);
  const retried = await project.cli(['retry', document.sweep, '--failed', '--json']);
  const { warnings } = documentOf(retried.stdout);
  expect(warnings).toEqual([expect.stringMatching(/^rebuilt: its runs used 2 different builds/)]);
  expect(await summaryOf(document.sweep)).toMatchObject({ warnings, totals: { passed: 2 } });
});

test('retry --failed ends after `clean` has removed some of the failed runs', async () => {
  const { document } = await project.run(['never', '--repeat', '4', '--concurrency', '1', '--no-cache']);
  const lines = (await project.resultLines()).filter(({ sweep }) => sweep === document.sweep);
  const times = lines.map(({ timestamp }) => Date.parse(timestamp)).sort((a, b) => a - b);
  // The clock shows the time at which the first two of them are older than a minute.
  vi.useFakeTimers({ toFake: ['Date'], now: (times[2] ?? 0) + 60_000 });
  const cleaned = await project.cli(['clean', '--older-than', '1m', '--json']).finally(vi.useRealTimers);
  expect(cleaned.exitCode).toBe(0);
  const left = (await project.resultLines()).filter(({ sweep }) => sweep === document.sweep);
  expect(left).toHaveLength(2);

  const before = await starts();
  const { stdout, exitCode } = await project.cli(['retry', document.sweep, '--failed', '--json']);
  expect([exitCode, documentOf(stdout).totals.failed]).toEqual([1, 4]);
  expect(await starts()).toBe(before + 4);
}, 60_000);
