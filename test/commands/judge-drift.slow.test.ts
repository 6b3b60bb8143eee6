import { rm } from 'node:fs/promises';
import { basename } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Comparison } from '../../src/decide/comparison/document.js';
import { GATE, judged, judgedFiles, judgeEnv, judgment } from './judged-project.js';
import { createModelServer, type ModelServer } from './model-server.js';
import { createProject, documentOf, scenario, type TestProject } from './project.js';

let server: ModelServer;
let project: TestProject;
const RUNS = 8;

beforeAll(async () => {
  server = await createModelServer();
  project = await createProject(judgedFiles(server));
});
afterAll(async () => {
  await project.remove();
  await server.close();
});

/** Compares a sweep `<name>-a` with a later one, `<name>-b`. */
const compare = async (name: string): Promise<{ text: string; document: Comparison; code: number | undefined }> => {
  const args = ['compare', `${name}-a`, `${name}-b`];
  const { stdout, exitCode } = await project.cli([...args, '--gate', '--json']);
  return {
    text: (await project.cli(args)).stdout,
    document: Comparison.parse(JSON.parse(stdout)),
    code: exitCode,
  };
};
const runSweep = (name: string, id: string) =>
  project.cli(['run', name, '--repeat', String(RUNS), '--no-cache', '--name', id, '--json'], judgeEnv(server));

test('a judge that has become stricter between two sweeps is found by judging kept answers again, and does not make head worse', async () => {
  await project.write('fixtures/drifting.yaml', judged('drifting', 'house/drifting'));
  server.script('drifting', { say: judgment(1) });
  await runSweep('drifting', 'drifting-a');
  server.script('drifting', { say: judgment(0.2) });
  await runSweep('drifting', 'drifting-b');
  const unchecked = await compare('drifting');
  expect(unchecked.code).toBe(1);
  expect(unchecked.document.judge_drift).toMatchObject({ state: 'not checked', judged: RUNS, again: 0 });
  expect(unchecked.text).toMatch(/regrade drifting-a-\w+ --sample 8` judges 8 runs of base again for about \$0\.00/);

  const before = server.askedOf('drifting').length;
  const first = await project.cli(['regrade', 'drifting-a', '--sample', '4', '--json'], judgeEnv(server));
  expect(first.stderr).toMatch(/judging 4 of 8 runs again for about \$0\.00/);
  expect(documentOf(first.stdout).cells).toHaveLength(4);
  const second = await project.cli(['regrade', 'drifting-a', '--sample', '4', '--json'], judgeEnv(server));
  expect(documentOf(second.stdout).cells).toHaveLength(4);
  expect(server.askedOf('drifting').length - before).toBe(RUNS);

  const checked = await compare('drifting');
  expect(checked.code).toBe(3);
  // The second sample has judged other runs than the first.
  expect(checked.document.judge_drift).toMatchObject({
    state: 'moved',
    again: RUNS,
    to_fail: RUNS,
    to_pass: 0,
  });
  expect(checked.text).toMatch(/^\? perhaps worse: 8 of 8 passed before, 0 of 8 now\n/);
  expect(checked.text).toContain('judge: moved by -100 points between the sweeps: 8 of 8 runs of base');
  expect(server.askedOf('drifting').length - before).toBe(RUNS);
});

test('a sweep that runs until it is clear against an earlier one ends as `compare` would say of the judge', async () => {
  const text = judged('early', 'house/early');
  await project.write('fixtures/early.yaml', text);
  server.script('early', { say: judgment(1) });
  await runSweep('early', 'early-a');
  server.script('early', { say: judgment(0.2) });
  const untilClear = async (name: string) => {
    const options = ['--until-clear', '--base', 'early-a', '--max-runs', String(RUNS), '--no-cache', '--name', name];
    const { stdout, stderr, exitCode } = await project.cli(['run', 'early', ...options, '--json'], judgeEnv(server));
    const { decision } = documentOf(stdout);
    const gate = await project.cli(['compare', 'early-a', name, '--gate']);
    return { decision, codes: [exitCode, gate.exitCode], shown: (await project.cli(['show', name])).stdout, stderr };
  };
  const unchecked = await untilClear('early-b');
  expect(unchecked.codes).toEqual([1, 1]);
  expect(unchecked.decision).toMatchObject({
    verdict: 'worse',
    judge_drift: { state: 'not checked', explains: false },
  });
  expect(unchecked.stderr).toMatch(
    /a model judged 8 runs of early-a-\w+, .*: `regrade early-a-\w+ --sample 8` shows it/,
  );
  expect(unchecked.shown).toMatch(/doubt: judge: not checked: none of the 8 runs of base that it judged/);

  await project.write('fixtures/early.yaml', text.replace('pass_threshold: 0.7', 'pass_threshold: 0.75'));
  const asked = await untilClear('early-c');
  expect(asked.codes).toEqual([3, 3]);
  expect(asked.decision).toMatchObject({
    verdict: 'not tested',
    stopped: 'clear',
    judge_drift: { differs: [expect.stringContaining('it was asked something else')], explains: true },
  });
  expect(asked.shown).toMatch(/could not be tested: pass rate -100 points/);
  expect(asked.shown).toContain('the runs are clear, but the judge could be the reason');
  expect(asked.stderr).not.toContain('is worse than');
});

test('runs that cannot be judged again are named', async () => {
  await project.write('fixtures/plain.yaml', scenario('plain', { gates: [GATE], steps: ['run: echo > note.txt'] }));
  await runSweep('plain', 'plain-a');
  const nothing = await project.cli(['regrade', 'plain-a', '--sample', '3'], judgeEnv(server));
  expect([nothing.exitCode, nothing.stderr]).toEqual([2, expect.stringContaining('was judged by a model')]);

  await project.write('fixtures/gone.yaml', judged('gone', 'house/good'));
  server.script('good', { say: judgment(1) });
  const { document } = await project.run(['gone', '--repeat', '2', '--name', 'gone-a'], judgeEnv(server));
  const folders = document.cells.map(({ results_dir: folder }) => folder ?? '');
  for (const folder of folders) await rm(folder, { recursive: true });
  const gone = await project.cli(['regrade', 'gone-a', '--sample', '2'], judgeEnv(server));
  expect(gone.exitCode).toBe(2);
  for (const folder of folders) expect(gone.stderr).toContain(basename(folder));
});
