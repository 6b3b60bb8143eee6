import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Comparison } from '../../src/results/comparison/document.js';
import type { RunRecord } from '../../src/results/records/run-record.js';
import { createProject, documentOf, type TestProject } from './project.js';

/**
 * Results that an earlier build wrote with the mock agent: the sweeps `first` and `second`, which differ in the
 * prompt of the variant `guided`, and `open`, whose second cell has not run. They must not be changed.
 */
const RECORDED = join(import.meta.dirname, 'recorded', 'results');
const [FIRST, SECOND, OPEN] = ['first-5ac5f21eb7e7', 'second-ef3fb828b737', 'open-85adebf2a3e2'];
const GUIDED = '20261123-192602-mock-default-notes-bc42969f';
const STORED = 'e95f7b44c6600deebcd4cd73d8e6e3f2c06854548728dba545d70456c0d1269d';

let project: TestProject;
beforeAll(async () => {
  project = await createProject({ 'fixtures/base/README.md': '# Notes\n' });
  await cp(RECORDED, project.results, { recursive: true });
  const scenario = await readFile(join(RECORDED, '.store', STORED, 'scenario.yaml'), 'utf8');
  await project.write('fixtures/notes.yaml', scenario);
});
afterAll(() => project.remove());

const changes = async (base: string, head: string): Promise<string[]> => {
  const { stdout, stderr } = await project.cli(['compare', base, head, '--json']);
  expect(stderr).not.toContain('warning');
  return Comparison.parse(JSON.parse(stdout)).changes.map(({ what }) => what);
};

describe('results of an earlier build', () => {
  test('are listed', async () => {
    const { stdout, exitCode } = await project.cli(['sweeps', '--json']);
    const { sweeps } = JSON.parse(stdout) as { sweeps: { id: string; status: string }[] };
    expect({ exitCode, sweeps: sweeps.map(({ id, status }) => [id, status]).sort() }).toEqual({
      exitCode: 0,
      sweeps: [
        [FIRST, 'completed'],
        [OPEN, 'open'],
        [SECOND, 'completed'],
      ],
    });
  });

  test('are shown, both as a sweep and as a run', async () => {
    const sweep = await project.cli(['show', FIRST, '--json']);
    expect(documentOf(sweep.stdout)).toMatchObject({ status: 'completed', totals: { cells: 2, passed: 2 } });
    const { stdout } = await project.cli(['show', GUIDED, '--json']);
    const { run } = JSON.parse(stdout) as { run: RunRecord };
    expect(run).toMatchObject({ variant: 'guided', outcome: 'pass' });
    expect(run.steps.map(({ name, status }) => `${name} ${status}`)).toEqual([
      ...['prepare done', 'agent done', 'post 1 done', 'gate 1 done', 'gate 2 done', 'evaluator 1 done'],
      'report done',
    ]);
  });

  test('are reported', async () => {
    const { stdout, exitCode } = await project.cli(['report', SECOND, '--format', 'md']);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('guided');
  });

  test('are compared with each other: differences of the scenarios are named', async () => {
    expect(await changes(FIRST, SECOND)).toEqual([expect.stringContaining('prompt')]);
  });

  test('are compared with results of this build: an unchanged scenario shows no change', async () => {
    const { document, exitCode } = await project.run(['notes', '--no-cache']);
    expect(exitCode).toBe(0);
    const found = await changes(FIRST, document.sweep);
    // Only the build of the program differs.
    expect(found.filter((what) => !/^(an unrecorded input|the program of)/.test(what))).toEqual([]);
  });

  test('are completed by resume', async () => {
    const { stdout, exitCode } = await project.cli(['resume', OPEN, '--json']);
    expect(exitCode).toBe(0);
    expect(documentOf(stdout)).toMatchObject({
      status: 'completed',
      totals: { cells: 2, passed: 2 },
      cells: [{ repetition: 1 }, { repetition: 2, outcome: 'pass' }],
    });
  });
});
