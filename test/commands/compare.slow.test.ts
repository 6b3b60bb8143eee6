import { appendFileSync, writeFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Comparison } from '../../src/decide/comparison/document.js';
import type { Firing } from '../../src/decide/documents/firing.js';
import { writePastSweep } from './past-sweep.js';
import { createProject, scenario, type TestProject } from './project.js';

let project: TestProject;
const VERSION = '[ "$1" = --version ] && exit';
const GOOD = `#!/bin/sh\n${VERSION}\necho milk > notes.md\n`;
const BROKEN = `#!/bin/sh\n${VERSION}\necho "unknown command" >&2\nexit 2\n`;
const UNFIT = '#!/bin/sh\nexit 1\n';

const compare = async (...args: string[]): Promise<{ exitCode: number | undefined; document: Comparison }> => {
  const { stdout, exitCode } = await project.cli(['compare', ...args, '--json']);
  return { exitCode, document: Comparison.parse(JSON.parse(stdout)) };
};

const FIRING: Omit<Firing, 'sweep'> = {
  schema_version: 1,
  schedule: 'nightly',
  firing: '20261124-030000',
  scheduled_at: '2026-11-24T03:00:00.000Z',
  triggered: false,
  workflow: 'w',
  status: 'completed',
  exit_code: 0,
  compared_with: null,
  verdict: null,
  reasons: [],
  nights: null,
  configurations: [],
  totals: null,
  cost_usd: null,
  ended_at: null,
  webhook: null,
  text: '',
};

beforeAll(async () => {
  project = await createProject({ 'fixtures/notes/README.md': 'nothing\n' });
  await project.write('bin/notes', GOOD, 0o755);
  await project.write('bin/broken', BROKEN, 0o755);
  await project.write('bin/unfit', UNFIT, 0o755);
  const text = scenario('notes', {
    target: "{binary: ../bin/notes, health_check: 'notes --version', files: []}",
    gates: ['{type: file_exists, path: notes.md}'],
    steps: ['run: notes'],
  });
  await project.write('fixtures/notes.yaml', text.replace('template_folder: empty', 'template_folder: notes'));
});
afterAll(() => project.remove());

describe('two sweeps of different builds', () => {
  beforeAll(async () => {
    const run = async (name: string, ...args: string[]): Promise<void> => {
      await project.run(['notes', '--name', name, ...args]);
    };
    await run('before', '--repeat', '6');
    await run('same-build', '--repeat', '6', '--no-cache');
    await run('broken', '--repeat', '6', '--target-binary', 'bin/broken');
    await run('repeated', '--repeat', '6', '--target-binary', 'bin/broken', '--no-cache');
    await run('unfit', '--repeat', '6', '--target-binary', 'bin/unfit');
    await project.write('fixtures/notes/AGENTS.md', 'be brief\n');
    await run('few', '--repeat', '2');
  });

  test('a sweep that repeats another with --no-cache is another look, unless a schedule looked at that', async () => {
    const look = async (head: string) => (await compare('before', head)).document;
    expect(await look('broken')).toMatchObject({ look: { number: 1 }, alpha: 0.04 });
    expect(await look('repeated')).toMatchObject({ look: { number: 2 }, alpha: 0.005 });
    const { base, head } = await look('broken');
    expect((await compare(head.sweep, base.sweep)).document.look?.number).toBe(1);
    const schedules = join(project.results, 'schedules');
    await mkdir(join(schedules, 'nightly', 'firings'), { recursive: true });
    await writeFile(join(schedules, 'nightly.json'), '{}');
    const file = join(schedules, 'nightly', 'firings', '20261124-030000.json');
    await writeFile(file, JSON.stringify({ ...FIRING, sweep: head.sweep }));
    expect(await look('repeated')).toMatchObject({ look: { number: 1 }, alpha: 0.04 });
    await rm(schedules, { recursive: true });
  });

  test('the head is reported as worse, with numbers, gates and what has changed', async () => {
    const { exitCode, document } = await compare('before', 'broken');
    expect(exitCode).toBe(0);
    expect(document).toMatchObject({
      verdict: 'worse',
      total: { base: { passed: 6, tested: 6 }, head: { passed: 0, tested: 6 }, difference: -1 },
      only_in_base: [],
      doubts: [],
    });
    expect(document.total.p).toBeLessThan(0.01);
    expect(document.total.interval?.high).toBeLessThan(0);
    expect(document.configurations[0]).toMatchObject({
      scenario: 'notes',
      agent: 'mock',
      same_inputs: false,
      gates: [
        {
          gate: 'file_exists notes.md',
          base: { passed: 6, checked: 6 },
          head: { passed: 0, checked: 6 },
          change: 'worse',
        },
      ],
    });
    expect(document.changes.map(({ what, doubtful }) => [what, doubtful])).toEqual([
      ['the path of the target', false],
      ['the program of the target', false],
    ]);
  });

  test.each(['--gate', '--fail-on-worse'])(
    '%s exits with 1 if the head is worse, and with 0 if it is better',
    async (flag) => {
      expect((await compare('before', 'broken', flag)).exitCode).toBe(1);
      const { exitCode, document } = await compare('broken', 'before', flag);
      expect([exitCode, document.verdict]).toEqual([0, 'better']);
    },
  );

  test('--fail-on-worse exits with 3, and gives the reason, for a build that no run could test', async () => {
    const { stdout, stderr, exitCode } = await project.cli(['compare', 'before', 'unfit', '--fail-on-worse']);
    expect(stdout).toMatch(/^- nothing to compare\n/);
    expect(stderr).toMatch(/not tested: no configuration has runs that passed or failed in both/);
    expect(exitCode).toBe(3);
    const { document } = await compare('before', 'unfit');
    expect(document.gate.result).toBe('not tested');
  });

  test('a broken build does not pass a gate with a margin or a baseline either', async () => {
    const baseline = join(project.folder, 'before.jsonl');
    await project.cli(['compare', 'before', '--write-baseline', baseline]);
    for (const args of [
      ['before', 'unfit', '--margin', '50'],
      ['unfit', '--baseline', baseline],
    ])
      expect((await compare(...args, '--gate')).exitCode).toBe(3);
    expect((await compare('broken', '--baseline', baseline, '--gate')).exitCode).toBe(1);
  });

  test('--format md prints the same for a pull request, and --json conflicts with it', async () => {
    const { stdout, stderr, exitCode } = await project.cli([
      ...['compare', 'before', 'broken', '--format', 'md', '--gate', '--explain'],
    ]);
    expect([exitCode, stderr]).toEqual([1, '']);
    expect(stdout).toMatch(
      /^\*\*✗ worse: 6 of 6 passed before, 0 of 6 now\*\*\n\n- the pass rate fell by 100 points \(between \d+ and 100\)\n\n\|  \| base \| 96 % \| head /,
    );
    expect(stdout).toMatch(/\n\| notes \| 6\/6 \| 59-100 \| 0\/6 \| 0-41 \| -100 \| 0\.\d+ \| worse \|\n/);
    expect(stdout).toContain('| 6/6 → 0/6 | file_exists notes.md |');
    expect(stdout).toContain('| the program of the target: ');
    expect(stdout).toMatch(/\n\| difference \| -100 points \| the pass rate of head minus that of base \|\n/);
    expect(stdout.match(/<details>|<\/details>/g)).toEqual(['<details>', '</details>']);
    const json = await project.cli(['compare', 'before', 'broken', '--format', 'json']);
    expect(Comparison.parse(JSON.parse(json.stdout)).verdict).toBe('worse');
    const both = await project.cli(['compare', 'before', 'broken', '--format', 'md', '--json']);
    expect(both.exitCode).toBe(2);
  });

  test('--margin asks whether the loss is within it, and --alpha sets the confidence', async () => {
    const { exitCode, document } = await compare('before', 'same-build', '--gate', '--margin', '20');
    expect(exitCode).toBe(4);
    expect(document).toMatchObject({
      margin: 0.2,
      total: { not_worse: { holds: false }, equivalent: false },
    });
    const lax = await compare('before', 'same-build', '--gate', '--margin', '60');
    expect(lax.exitCode).toBe(0);
    const strict = await compare('before', 'broken', '--alpha', '0.0001');
    expect(strict.document).toMatchObject({
      alpha: 0.00008,
      look: { of_alpha: 0.0001 },
      verdict: 'too few runs',
    });
  });

  test('--explain says what each number means', async () => {
    const { stdout } = await project.cli(['compare', 'before', 'broken', '--explain', '--margin', '10']);
    expect(stdout).toMatch(/^✗ worse: 6 of 6 passed before, 0 of 6 now\n {2}the pass rate fell by 100 points/);
    expect(stdout).toMatch(/\nwhat the numbers mean\n {2}difference: -100 points\n/);
    for (const name of [
      'interval, 96 %',
      'p',
      'look',
      'smallest possible p',
      'not worse by 10 points',
      'runs still needed',
    ])
      expect(stdout).toMatch(new RegExp(`\\n  ${name}: .+\\n    \\S`));
  });

  test.each([
    ['--margin', '0'],
    ['--margin', '100'],
    ['--alpha', '0.5'],
    ['--alpha', 'x'],
  ])('%s %s is a usage error', async (option, value) => {
    const { exitCode, stderr } = await project.cli(['compare', 'before', 'broken', option, value]);
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/expected a number/)]);
  });

  test('the head defaults to the newest sweep, and changed files of the fixture are named', async () => {
    const { document } = await compare('broken');
    expect(document.head.sweep).toMatch(/^few-/);
    expect(document.changes).toContainEqual(
      expect.objectContaining({ what: 'the fixture: AGENTS.md', doubtful: true }),
    );
    const few = await compare('before');
    expect(few.document).toMatchObject({ verdict: 'no difference shown' });
    const { stdout } = await project.cli(['compare', 'before', 'few']);
    expect(stdout).toMatch(/^\? no difference shown: 6 of 6 passed before, 2 of 2 now\n/);
  });

  test('reused runs are not compared with themselves', async () => {
    await project.run(['notes', '--name', 'reused', '--repeat', '2']);
    const { document } = await compare('few', 'reused');
    expect(document).toMatchObject({
      verdict: 'nothing to compare',
      total: { head: { tested: 0, shared: 2 } },
    });
    expect(document.configurations[0]?.same_inputs).toBe(true);
  });
});

describe('a sweep whose failures are retried', () => {
  test('counts with its first results, and the doubts tell how the retries ended', async () => {
    await project.run(['notes', '--name', 'flaky', '--repeat', '6', '--target-binary', 'bin/broken']);
    // The same path, but the program works now: the cells are run, not reused.
    await project.write('bin/broken', GOOD, 0o755);
    const again = await project.cli(['retry', 'flaky', '--failed', '--json']);
    expect(JSON.parse(again.stdout)).toMatchObject({ totals: { passed: 6, failed: 0 } });
    await project.write('bin/broken', BROKEN, 0o755);
    const { document, exitCode } = await compare('before', 'flaky', '--fail-on-worse');
    expect(document).toMatchObject({
      verdict: 'worse',
      total: { head: { passed: 0, tested: 6, retried: 6 } },
      doubts: [expect.stringMatching(/^head: 6 cells had a result and ran again .* 6 of them then passed/)],
    });
    expect(exitCode).toBe(1);
  });
});

describe('the content of the results', () => {
  const results = (): string => join(project.folder, 'past');
  const inPast = (...args: string[]) => project.cli(['compare', ...args, '--results', results()]);
  const failing = () => ({ outcome: 'fail' }) as const;

  beforeAll(() => {
    writePastSweep(results(), null, { id: 'aaa', daysAgo: 3, runs: 2 });
    const runs = writePastSweep(results(), null, { id: 'bbb', daysAgo: 2, runs: 2, change: failing });
    writePastSweep(results(), null, {
      id: 'ccc',
      daysAgo: 1,
      runs: 3,
      open: true,
      scenarios: ['x', 'notes'],
    });
    writeFileSync(join(results(), runs[0] ?? '', 'artifacts/run.json'), '{"run_id": ');
    appendFileSync(join(results(), 'results.jsonl'), '{"cut\n');
  });

  test('is compared as far as it can be read, with warnings', async () => {
    const { stdout, stderr, exitCode } = await inPast('aaa', 'bbb');
    expect(stdout).toMatch(/^\? too few runs to show any difference: 2 of 2 passed before, 0 of 2 now\n/);
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(/results\.jsonl:8: skipped this line: not JSON/);
    expect(stderr).toMatch(/run\.json and 1 more cannot be read/);
  });

  test('is compared for a sweep that has not ended, and cells that only one sweep has are listed', async () => {
    const { stdout } = await inPast('bbb');
    expect(stdout).toMatch(/head {2}ccc {2}24h ago {2}open, 1 compared/);
    expect(stdout).toMatch(/! head has not ended/);
    expect(stdout).toMatch(/1 only in head, not compared: x mock\/default/);
  });

  test('decides the exit code of --fail-on-worse: 4 for too few runs, 3 for a drop that errors may explain', async () => {
    const few = await inPast('aaa', 'bbb', '--fail-on-worse');
    expect([few.exitCode, few.stderr]).toEqual([4, expect.stringMatching(/undecided: too few runs/)]);
    const outage = (index: number) => ({ outcome: index < 2 ? ('fail' as const) : ('error' as const) });
    writePastSweep(results(), null, { id: 'eee', daysAgo: 6, runs: 6 });
    writePastSweep(results(), null, { id: 'fff', daysAgo: 5, runs: 6, change: outage });
    const { stdout, stderr, exitCode } = await inPast('eee', 'fff', '--fail-on-worse');
    expect(stdout).toMatch(
      /^\? perhaps worse: 6 of 6 passed before, 0 of 2 now\n {2}cells without a result could be the reason\n/,
    );
    expect(stderr).toMatch(/not tested: 4 cells of head .* head would not be worse/);
    expect(exitCode).toBe(3);
  });

  test.each([
    ['an unknown sweep', ['aaa', 'zzz'], /no sweep or run 'zzz'/, 'unknown_id'],
    ['the same sweep twice', ['aaa', 'aa'], /are the same sweep, aaa/, 'usage'],
    ['the newest sweep with itself', ['latest'], /are the same sweep, ccc/, 'usage'],
    ['no sweep', [], /missing required argument 'base'.*--baseline/, 'usage'],
  ])('%s is a usage error', async (_name, args, message, code) => {
    const { stdout, stderr, exitCode } = await inPast(...args, '--json');
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(message)]);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code } });
  });

  test("a run's id is a usage error", async () => {
    const [run = ''] = writePastSweep(results(), null, { id: 'ddd', daysAgo: 4 });
    const { stderr, exitCode } = await inPast('aaa', run);
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/is a run; only sweeps can be compared/)]);
  });
});

describe('two variants of one sweep', () => {
  beforeAll(async () => {
    await project.write(
      'fixtures/guided.yaml',
      scenario('guided', {
        target: '{binary: ../bin/notes}',
        gates: ['{type: file_exists, path: notes.md}'],
        steps: ['run: "if [ -e GUIDE.md ]; then notes; fi"'],
        more: 'matrix: {repeat: 6, variants: [{name: bare}, {name: guided, files: {GUIDE.md: Use notes.}}]}',
      }).replace('template_folder: empty', 'template_folder: notes'),
    );
    await project.run(['guided', '--name', 'both']);
  });

  test('are compared with --variants, and what the variant changes is not doubtful', async () => {
    const { exitCode, document } = await compare('both', '--variants', 'bare,guided');
    expect(exitCode).toBe(0);
    expect(document).toMatchObject({
      verdict: 'better',
      base: { variant: 'bare' },
      head: { variant: 'guided' },
      total: { base: { passed: 0, tested: 6 }, head: { passed: 6, tested: 6 } },
      only_in_base: [],
      only_in_head: [],
    });
    expect(document.base.sweep).toBe(document.head.sweep);
    expect(document.configurations).toHaveLength(1);
    expect(document.changes.length).toBeGreaterThan(0);
    expect(document.changes.filter(({ doubtful }) => doubtful)).toEqual([]);
    const worse = await project.cli(['compare', 'both', '--variants', 'guided,bare', '--fail-on-worse']);
    expect(worse.exitCode).toBe(1);
    expect(worse.stdout).toMatch(/bare of both-/);
  });

  test('are each compared with the same variant of the other sweep without --variants', async () => {
    await project.run(['guided', '--name', 'again', '--no-cache']);
    const { document } = await compare('both', 'again');
    expect(document.configurations.map(({ variant, difference }) => [variant, difference])).toEqual([
      ['bare', 0],
      ['guided', 0],
    ]);
    expect(document.base.variant).toBeNull();
  });

  test('are refused if one is unknown or there are not exactly two', async () => {
    const refused = async (names: string): Promise<string> => {
      const { exitCode, stderr } = await project.cli(['compare', 'both', '--variants', names]);
      expect(exitCode).toBe(2);
      return stderr;
    };
    expect(await refused('bare,giuded')).toContain("has no variant 'giuded'; did you mean 'guided'?");
    for (const names of ['bare', 'bare,bare', 'bare,guided,more'])
      expect(await refused(names)).toContain('expected two names');
  });
});
