import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { projectState } from '../../src/host/folders.js';
import { waitUntil } from '../../src/host/process/waiting.js';
import type { CleanDocument } from '../../src/decide/plan-clean.js';
import type { ResultLine } from '../../src/model/records/result-line.js';
import { opaqueId, stateOfRun } from '../../src/store/results-folder.js';
import { setEnv } from '../host/temporary.js';
import { writePastSweep, type PastSweep } from './past-sweep.js';
import { createProject, EMPTY_FIXTURE, scenario, until, type TestProject } from './project.js';

let project: TestProject;
let results: string;
let state: string;
let number = 0;

beforeAll(async () => {
  project = await createProject(EMPTY_FIXTURE);
});
afterAll(() => project.remove());
beforeEach(() => {
  results = join(project.folder, `results-${++number}`);
  setEnv({ LLM_TOOL_TEST_HOME: project.state });
  state = projectState(results).folder;
});

const past = (sweep: PastSweep): string[] => writePastSweep(results, state, sweep);
const clean = (...args: string[]) => project.cli(['clean', '--results', results, ...args]);
const cleanJson = async (...args: string[]): Promise<CleanDocument> => {
  const { stdout, stderr } = await clean(...args, '--json');
  expect(stderr).toBe('');
  return JSON.parse(stdout) as CleanDocument;
};
const lines = (): ResultLine[] =>
  readFileSync(join(results, 'results.jsonl'), 'utf8')
    .split('\n')
    .flatMap((text) => (text === '' ? [] : [JSON.parse(text) as ResultLine]));
const tree = (folder: string): string[] => readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();

/** Expects a folder for every result line, and for every plan the snapshots that it names. */
function expectConsistent(): void {
  for (const { results_dir } of lines())
    if (results_dir !== null) expect(existsSync(join(results, results_dir, 'report.md')), results_dir).toBe(true);
  for (const sweep of readdirSync(join(results, 'sweeps'))) {
    const plan = JSON.parse(readFileSync(join(results, 'sweeps', sweep, 'plan.json'), 'utf8')) as {
      scenarios: { hash: string }[];
    };
    for (const { hash } of plan.scenarios) {
      const file = join(results, '.store', hash, 'scenario.json');
      const { fixture } = JSON.parse(readFileSync(file, 'utf8')) as { fixture: string };
      expect(existsSync(join(results, '.store', fixture, 'README.md'))).toBe(true);
    }
  }
}

describe('what is deleted and what is kept', () => {
  test('old runs are deleted with their sweep, lines, snapshots and raw output; recent sweeps, open sweeps and unknown files stay', async () => {
    const old = past({ id: 'old', daysAgo: 40, runs: 3 });
    const young = past({ id: 'young', daysAgo: 3 });
    const open = past({ id: 'open', daysAgo: 50, runs: 2, open: true });
    mkdirSync(join(results, 'my-notes'));
    writeFileSync(join(results, 'my-notes', 'a.txt'), 'mine');
    writeFileSync(join(results, 'list.csv'), 'mine');
    writeFileSync(join(results, '.write-test'), ''); // runs write it to check for free space

    const document = await cleanJson('--older-than', '30d');
    expect(document.removed).toMatchObject({ runs: old, results: old, raw_output: old, sweeps: ['old'] });
    expect(document.removed.snapshots).toHaveLength(2);
    expect(document.kept).toMatchObject({
      runs: 3,
      sweeps: 2,
      snapshots: 4,
      open_sweeps: ['open'],
      strangers: ['list.csv', 'my-notes'],
    });
    expect(document.bytes).toBeGreaterThan(3000);
    expect(readdirSync(results).sort()).toEqual(
      [
        '.clean',
        'audit',
        '.write-test',
        '.store',
        'sweeps',
        'results.jsonl',
        'list.csv',
        'my-notes',
        ...young,
        ...open,
      ].sort(),
    );
    expect(lines().map(({ id }) => id)).toEqual([...young, ...open]);
    expect(readdirSync(join(state, 'work')).sort()).toEqual([...young, ...open].map(opaqueId).sort());
    expect(readdirSync(join(results, 'sweeps')).sort()).toEqual(['open', 'young']);
    expectConsistent();
    expect((await project.cli(['show', 'young', '--results', results])).exitCode).toBe(0);
  });

  test('--dry-run reports the same and changes nothing: it does not even take a lock', async () => {
    past({ id: 'old', daysAgo: 40, runs: 2 });
    mkdirSync(join(state, 'env'), { recursive: true });
    const sweepEnv = join(state, 'env', 'old.json');
    writeFileSync(sweepEnv, '{}');
    const at = new Date(Date.now() - 50 * 86_400_000);
    utimesSync(sweepEnv, at, at);
    const before = tree(results);
    const tried = await cleanJson('--older-than', '30d', '--dry-run');
    expect(tree(results)).toEqual(before);
    const done = await cleanJson('--older-than', '30d');
    expect({ ...tried, dry_run: false, before: '' }).toEqual({ ...done, before: '' });
    expect(done.removed.handovers).toEqual(['old']);
    expect(done.bytes).toBe(Object.values(done.sizes).reduce((sum, bytes) => sum + bytes, 0));
    expect(tried.sizes.runs).toBeGreaterThan(2000);
  });

  test('a snapshot that a remaining sweep needs is kept', async () => {
    past({ id: 'old', daysAgo: 40, content: 'same' });
    past({ id: 'young', daysAgo: 1, content: 'same' });
    expect((await cleanJson('--older-than', '30d')).removed).toMatchObject({
      sweeps: ['old'],
      snapshots: [],
    });
    expectConsistent();
  });

  test('a run that a later sweep reuses is kept, and so is its sweep', async () => {
    const [source = ''] = past({ id: 'old', daysAgo: 40 });
    past({ id: 'young', daysAgo: 1, change: () => ({ cached_from: source, results_dir: source }) });
    const document = await cleanJson('--older-than', '30d');
    expect(document.removed).toMatchObject({ runs: [], sweeps: [] });
    expect(document.kept.reused_runs).toEqual([source]);
  });

  test('a private folder whose run has left nothing else is deleted by the time of its last change', async () => {
    past({ id: 'young', daysAgo: 3 });
    const at = new Date(Date.now() - 40 * 86_400_000);
    for (const name of ['old', 'new']) mkdirSync(stateOfRun(state, name));
    utimesSync(stateOfRun(state, 'old'), at, at);
    const { removed } = await cleanJson('--older-than', '30d');
    expect([removed.runs, removed.raw_output]).toEqual([[], [opaqueId('old')]]);
    expect(existsSync(stateOfRun(state, 'old'))).toBe(false);
    expect(existsSync(stateOfRun(state, 'new'))).toBe(true);
  });

  test('a sweep that was resumed after its end counts as open', async () => {
    past({ id: 'again', daysAgo: 40 });
    mkdirSync(join(state, 'env'), { recursive: true });
    writeFileSync(join(state, 'env', 'again.json'), '{}');
    expect((await cleanJson('--older-than', '0d')).kept.open_sweeps).toEqual(['again']);
    // A file left by a worker that was killed between summary and clean-up is as old as the end of the sweep.
    const at = new Date(Date.now() - 50 * 86_400_000);
    utimesSync(join(state, 'env', 'again.json'), at, at);
    expect((await cleanJson('--older-than', '0d')).removed).toMatchObject({
      sweeps: ['again'],
      handovers: ['again'],
    });
    expect(existsSync(join(state, 'env', 'again.json'))).toBe(false);
  });

  test("files that a user put into a run's folder are kept", async () => {
    const [run = ''] = past({ id: 'old', daysAgo: 40 });
    writeFileSync(join(results, run, 'my-remarks.md'), 'mine');
    await clean('--older-than', '30d');
    expect(readdirSync(join(results, run))).toEqual(['my-remarks.md']);
    expect((await cleanJson('--older-than', '0d')).kept.strangers).toEqual([run]);
  });

  test('partially written files of dead processes are deleted; recent ones and those of live processes are kept', async () => {
    past({ id: 'young', daysAgo: 1 });
    const hours = (count: number): Date => new Date(Date.now() - count * 3_600_000);
    const make = (name: string, at: Date): string => {
      writeFileSync(join(results, name), 'half');
      utimesSync(join(results, name), at, at);
      return name;
    };
    make('results.jsonl.4194305-00000000.tmp', hours(2));
    const alive = make(`results.jsonl.${process.pid}-00000000.tmp`, hours(2));
    const fresh = make('results.jsonl.4194305-00000001.tmp', hours(0));
    const document = await cleanJson('--older-than', '30d');
    expect(document.removed.temporaries).toEqual([join(results, 'results.jsonl.4194305-00000000.tmp')]);
    expect(
      readdirSync(results)
        .filter((name) => name.endsWith('.tmp'))
        .sort(),
    ).toEqual([alive, fresh].sort());
  });

  test('symlinks are not followed: one among the runs is kept, and one in place of the store is refused', async () => {
    past({ id: 'old', daysAgo: 40 });
    const [kept = ''] = past({ id: 'young', daysAgo: 1 });
    symlinkSync(join(results, kept), join(results, 'linked'));
    expect((await cleanJson('--older-than', '30d')).kept.strangers).toEqual(['linked']);
    expect(existsSync(join(results, kept, 'report.md'))).toBe(true);
    const elsewhere = join(project.folder, 'elsewhere');
    mkdirSync(elsewhere);
    symlinkSync(join(results, '.store'), join(elsewhere, '.store'));
    const { exitCode, stderr } = await project.cli(['clean', '--older-than', '0d', '--results', elsewhere]);
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/\.store is a symlink/)]);
  });

  test('corrupt lines of results.jsonl are left unchanged', async () => {
    past({ id: 'old', daysAgo: 40 });
    writeFileSync(join(results, 'results.jsonl'), '{"half\r\n\xff\n', { flag: 'a', encoding: 'latin1' });
    const [young = ''] = past({ id: 'young', daysAgo: 1 });
    await clean('--older-than', '30d');
    const text = readFileSync(join(results, 'results.jsonl'), 'latin1');
    expect(text.startsWith('{"half\r\n\xff\n{')).toBe(true);
    expect(text).toContain(young);
    expect(text.trim().split('\n')).toHaveLength(3);
  });

  test('the text output has counts and sizes, and what is kept and why; --verbose names every item', async () => {
    const [run = ''] = past({ id: 'old', daysAgo: 40 });
    past({ id: 'open', daysAgo: 2, open: true });
    const tried = (await clean('--older-than', '30d', '--dry-run')).stdout;
    expect(tried).toMatch(/would delete everything older than 30d/);
    expect(tried).toMatch(/runs +1 +1\.1 kB/);
    expect(tried).toMatch(/1 sweep is still open:\n {4}open/);
    expect(tried).not.toContain(run);
    expect((await clean('--older-than', '30d', '--verbose')).stdout).toContain(run);
    expect((await clean('--older-than', '30d')).stdout).toMatch(/nothing to delete/);
  });
});

describe('clean at the same time as other processes', () => {
  test('does not affect a running sweep', async () => {
    await project.write(
      'fixtures/waits.yaml',
      scenario('waits', {
        gates: ['{type: file_exists, path: README.md}'],
        steps: [
          `run: 'touch ${project.folder}/waits.started; until [ -e ${project.folder}/waits.go ]; do sleep 0.05; done'`,
        ],
      }),
    );
    const old = past({ id: 'old', daysAgo: 40, runs: 2 });
    const running = project.start([
      'run',
      'waits',
      '--repeat',
      '2',
      '--concurrency',
      '1',
      '--json',
      '--results',
      results,
    ]);
    await until('the agent runs', () => (existsSync(join(project.folder, 'waits.started')) ? true : null));
    const document = await cleanJson('--older-than', '0d');
    expect(document.removed.runs).toEqual(old);
    expect(document.kept.open_sweeps).toHaveLength(1);
    await project.write('waits.go', '');
    const { exitCode, stdout } = await running;
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'completed', totals: { passed: 2 } });
    expectConsistent();
    expect((await cleanJson('--older-than', '0d')).removed.runs).toHaveLength(2);
    expect(lines()).toEqual([]);
    await project.cli(['engine', 'stop', '--results', results]);
  });

  test.each<[string, (before: { runs: string[] }) => boolean]>([
    ['the first folders are deleted', ({ runs }) => runs.some((run) => !existsSync(join(results, run)))],
    [
      'half of the folders are deleted',
      ({ runs }) => runs.filter((run) => existsSync(join(results, run))).length < runs.length / 2,
    ],
    ['the sweep is deleted', () => !existsSync(join(results, 'sweeps', 'old'))],
  ])(
    'leaves a consistent folder when it is killed after %s; another clean finishes the work',
    async (_when, reached) => {
      const runs = past({ id: 'old', daysAgo: 40, runs: 150 });
      const young = past({ id: 'young', daysAgo: 1, runs: 2 });
      const command = project.start(['clean', '--older-than', '30d', '--results', results]);
      expect(await waitUntil(() => (reached({ runs }) ? true : null), 30_000, 2)).toBe(true);
      command.kill('SIGKILL');
      await command;
      expectConsistent();
      expect((await clean('--older-than', '30d')).exitCode).toBe(0);
      expectConsistent();
      expect(readdirSync(results).sort()).toEqual(
        ['.clean', 'audit', '.store', 'results.jsonl', 'sweeps', ...young].sort(),
      );
      expect(readdirSync(join(results, '.clean')).filter((name) => name.startsWith('trash'))).toEqual([]);
      expect(readdirSync(join(results, 'sweeps'))).toEqual(['young']);
      expect(readdirSync(join(results, '.store'))).toHaveLength(2);
      expect(readdirSync(join(state, 'work')).sort()).toEqual(young.map(opaqueId).sort());
      expect(readdirSync(join(state, 'removed'))).toEqual([]);
    },
  );
});

test.each<[string, string[], RegExp]>([
  ['no age', [], /specify an age, e\.g\. --older-than 30d/],
  ['an age without a unit', ['--older-than', '30'], /--older-than '30' is not a valid age/],
  ['an age that is not whole', ['--older-than', '1.5d'], /is not a valid age/],
])('%s exits with 2 and a hint, and nothing is deleted', async (_name, args, says) => {
  past({ id: 'old', daysAgo: 40 });
  const { exitCode, stdout, stderr } = await clean(...args, '--json');
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(says);
  expect(JSON.parse(stdout)).toHaveProperty('error.code', 'older_than');
  expect(lines()).toHaveLength(1);
});

test('a missing results folder has nothing to delete, and is not created', async () => {
  expect((await cleanJson('--older-than', '30d')).removed.runs).toEqual([]);
  expect(existsSync(results)).toBe(false);
});
