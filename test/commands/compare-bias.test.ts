import { readFileSync, writeFileSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Comparison } from '../../src/decide/comparison/document.js';
import { judged, judgedFiles, judgeEnv, judgment } from './judged-project.js';
import { createModelServer, type ModelServer } from './model-server.js';
import { writePastSweep } from './past-sweep.js';
import { createProject, scenario, type TestProject } from './project.js';

let server: ModelServer;
let project: TestProject;

/** Passes or fails as the letters in the file `coins` say, one for each start. A failure is an agent that gives up. */
const coin = (folder: string): string => `#!/bin/sh
n=1
while ! mkdir "${folder}/starts/$n" 2>/dev/null; do n=$((n+1)); done
[ "$(cut -c $n "${folder}/coins")" = p ] || exit 7
echo milk > note.txt
`;

async function toss(coins: string): Promise<void> {
  await rm(join(project.folder, 'starts'), { recursive: true, force: true });
  await mkdir(join(project.folder, 'starts'));
  await project.write('coins', coins);
}

beforeAll(async () => {
  server = await createModelServer();
  const files = judgedFiles(server);
  project = await createProject({
    ...files,
    'llm-tool-test-config.toml': `${files['llm-tool-test-config.toml'] ?? ''}\n[agents.coin]\ncommand = "./coin.sh"\nfree = true\n`,
    'fixtures/coin.yaml': scenario('coin', {
      gates: ['{type: file_exists, path: note.txt}'],
      more: 'tool_matrix: [{tool: coin}]',
    }),
    'fixtures/judged.yaml': judged('judged', 'house/judge').replace(
      'evaluation:',
      'tool_matrix: [{tool: coin}]\nevaluation:',
    ),
  });
  await project.write('coin.sh', coin(project.folder), 0o755);
});
afterAll(async () => {
  await project.remove();
  await server.close();
});

interface Compared {
  exitCode: number | undefined;
  document: Comparison;
  text: string;
}

async function gate(...args: string[]): Promise<Compared> {
  const { stdout, exitCode } = await project.cli(['compare', ...args, '--gate', '--json']);
  const text = (await project.cli(['compare', ...args])).stdout;
  return { exitCode, document: Comparison.parse(JSON.parse(stdout)), text };
}

describe('what could bias a comparison does not decide it:', () => {
  test('the cache keeps failures as it keeps passes, whether or not the agent completed', async () => {
    await toss('pfpfpfpfpf' + 'p'.repeat(40));
    const first = await project.run(['coin', '--name', 'first', '--repeat', '10']);
    expect(first.document.totals).toMatchObject({ passed: 5, failed: 5 });
    for (const name of ['second', 'third']) {
      const { document } = await project.run(['coin', '--name', name, '--repeat', '10']);
      expect(document.totals).toMatchObject({ passed: 5, failed: 5, cached: 10 });
    }
    const same = await gate('first', 'third');
    expect([same.exitCode, same.document.verdict]).toEqual([0, 'nothing to compare']);
    await toss('fpfpfpfpfp');
    await project.run(['coin', '--name', 'fresh', '--repeat', '10', '--no-cache']);
    const fresh = await gate('third', 'fresh');
    expect([fresh.exitCode, fresh.document.verdict]).toEqual([0, 'no difference shown']);
  });

  test('retry --failed on the base leaves its first results, and says so', async () => {
    await toss('pfpfpfpfpf' + 'p'.repeat(5));
    const { document } = await project.run(['coin', '--name', 'lucky', '--repeat', '10', '--no-cache']);
    const again = await project.cli(['retry', document.sweep, '--failed', '--json']);
    expect(JSON.parse(again.stdout)).toMatchObject({ totals: { passed: 10 } });
    await toss('pfpfpfpfff');
    await project.run(['coin', '--name', 'steady', '--repeat', '10', '--no-cache']);
    const { exitCode, document: found } = await gate('lucky', 'steady');
    expect([exitCode, found.verdict]).toEqual([0, 'no difference shown']);
    expect(found.total.base).toMatchObject({ passed: 5, tested: 10, retried: 5 });
    expect(found.doubts).toEqual([expect.stringMatching(/^base: 5 cells had a result and ran again/)]);
  });

  test('an outage of the judge turns passes into errors, and is not called worse', async () => {
    const env = judgeEnv(server);
    const letters = 'f'.repeat(4) + 'p'.repeat(10);
    server.script('judge', { say: judgment(1) });
    await toss(letters);
    const before = await project.run(['judged', '--name', 'judged', '--repeat', '14', '--no-cache'], env);
    expect(before.document.totals).toMatchObject({ passed: 10, failed: 4 });
    server.script('judge', { status: 401 });
    await toss(letters);
    const after = await project.run(['judged', '--name', 'outage', '--repeat', '14', '--no-cache'], env);
    expect(after.document.totals).toMatchObject({ passed: 0, failed: 4, errored: 10 });
    const { exitCode, document, text } = await gate('judged', 'outage');
    expect(exitCode).toBe(3);
    expect(document.gate.reasons).toEqual([expect.stringMatching(/^10 cells of head .* would not be worse$/)]);
    expect(document.total.robust).toBe(false);
    expect(document.doubts[0]).toMatch(/^error rates differ/);
    expect(text).toMatch(/^\? perhaps worse: .*\n {2}cells without a result could be the reason\n/);

    // The work is as it was: once the judge answers again, it shows what the errors hid.
    server.script('judge', { say: judgment(1) });
    await project.cli(['regrade', after.document.sweep, '--name', 'regraded'], env);
    const regraded = (await gate('judged', 'regraded')).document;
    expect(regraded.total.head).toMatchObject({ passed: 10, tested: 14, after_errors: 0 });

    // Other runs in their place do not show it, neither in this sweep nor in one that reuses them.
    await toss('f'.repeat(10));
    await project.cli(['retry', after.document.sweep], env);
    const again = await project.run(['judged', '--name', 'reused', '--repeat', '14'], env);
    expect(again.document.totals).toMatchObject({ failed: 14, cached: 14 });
    for (const name of ['outage', 'reused']) {
      const redone = await gate('judged', name);
      expect(redone.document).toMatchObject({
        verdict: 'worse',
        gate: { result: 'not tested' },
        total: { robust: false, head: { passed: 0, tested: 14, after_errors: 10, passed_after_errors: 0 } },
      });
      expect(redone.exitCode).toBe(3);
    }
    const log = readFileSync(join(project.folder, 'llm-tool-test-results/results.jsonl'), 'utf8');
    expect(log.match(/"errors_before":1/g)).toHaveLength(10);
  });
});

describe('the content of the results:', () => {
  const results = (): string => join(project.folder, 'past');
  const past = (...args: string[]) => gate(...args, '--results', results());
  /** Outcomes by the index of the run among those of its scenario. */
  const outcomes =
    (scenarios: string[], passes: Record<string, number>) =>
    (index: number): { outcome: 'pass' | 'fail' } => {
      const name = scenarios[index % scenarios.length] ?? '';
      const before = scenarios.slice(0, index % scenarios.length).filter((one) => one === name).length;
      const perRound = scenarios.filter((one) => one === name).length;
      const at = Math.floor(index / scenarios.length) * perRound + before;
      return { outcome: at < (passes[name] ?? 0) ? 'pass' : 'fail' };
    };

  test('different numbers of runs of easy and hard scenarios do not reverse the verdict (Simpson)', async () => {
    const [easy, hard] = [
      ['easy', 'easy', 'easy', 'easy', 'hard'],
      ['easy', 'hard', 'hard', 'hard', 'hard'],
    ];
    writePastSweep(results(), null, {
      id: 'more-easy',
      daysAgo: 3,
      runs: 50,
      scenarios: easy,
      change: outcomes(easy, { easy: 36, hard: 1 }),
    });
    writePastSweep(results(), null, {
      id: 'more-hard',
      daysAgo: 2,
      runs: 50,
      scenarios: hard,
      change: outcomes(hard, { easy: 10, hard: 20 }),
    });
    const { exitCode, document, text } = await past('more-easy', 'more-hard');
    expect([exitCode, document.verdict]).toEqual([0, 'better']);
    expect(text).toMatch(/^✓ better: 50 % passed before, 75 % now on average\n {2}the pass rate rose by 25 points/);
    expect(text).toMatch(/all runs of 2 configurations: 37 of 50 passed before, 30 of 50 now\n {2}these sums mislead/);
    expect((await past('more-hard', 'more-easy')).exitCode).toBe(1);
  });

  test('the quick runs of an open sweep are not a sample: neither better nor "not worse"', async () => {
    const half = (index: number) => ({ outcome: index % 2 === 0 ? ('pass' as const) : ('fail' as const) });
    writePastSweep(results(), null, { id: 'ended', daysAgo: 3, runs: 24, change: half });
    writePastSweep(results(), null, { id: 'running', daysAgo: 1, runs: 24, open: true });
    const log = join(results(), 'results.jsonl');
    const lines = readFileSync(log, 'utf8').trim().split('\n');
    const isWaiting = (line: string): boolean => /"sweep":"running"/.test(line) && /default\/(8|9|\d\d)"/.test(line);
    writeFileSync(log, `${lines.filter((line) => !isWaiting(line)).join('\n')}\n`);
    const { exitCode, document, text } = await past('ended', 'running');
    expect(document.total.head).toMatchObject({ passed: 8, tested: 8, waiting: 16 });
    expect(exitCode).toBe(3);
    expect(document.gate.reasons).toContain('16 cells of head have no result yet');
    expect(text).toMatch(/^\? perhaps better/);
  });

  test('a scenario that was dropped is not "not worse"', async () => {
    writePastSweep(results(), null, { id: 'both', daysAgo: 3, runs: 20, scenarios: ['a', 'b'] });
    writePastSweep(results(), null, { id: 'only-a', daysAgo: 2, runs: 10, scenarios: ['a'] });
    const { exitCode, document } = await past('both', 'only-a');
    expect([exitCode, document.gate.reasons]).toEqual([3, ['tested in base, missing in head: b mock/default']]);
  });
});

describe('a baseline file', () => {
  const file = (): string => join(project.folder, 'kept/baseline.jsonl');
  const cli = (...args: string[]) => project.cli(['compare', ...args]);

  beforeAll(async () => {
    await toss('p'.repeat(10));
    await project.run(['coin', '--name', 'good', '--repeat', '10', '--no-cache']);
  });

  test('is written from a sweep, a line for each configuration', async () => {
    const { stdout, exitCode } = await cli('good', '--write-baseline', file());
    expect([exitCode, stdout]).toEqual([
      0,
      expect.stringMatching(/baseline\.jsonl: 1 of 1 configurations written, from good-/),
    ]);
    const lines = readFileSync(file(), 'utf8').trim().split('\n');
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      scenario: 'coin',
      agent: 'coin',
      passed: 10,
      tested: 10,
    });
  });

  test('decides the gate without the results of its sweep', async () => {
    await toss('f'.repeat(10));
    await project.run(['coin', '--name', 'bad', '--repeat', '10', '--no-cache']);
    const { stdout, exitCode } = await cli('--baseline', file(), '--gate');
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^✗ worse: 10 of 10 passed before, 0 of 10 now\n/);
    expect(stdout).toMatch(/\nbase {2}.*kept\/baseline\.jsonl/);
    const json = await cli('good', '--baseline', file(), '--gate', '--json');
    expect(Comparison.parse(JSON.parse(json.stdout))).toMatchObject({
      verdict: 'nothing to compare',
      base: { baseline: file() },
      total: { head: { shared: 10 } },
    });
    expect(json.exitCode).toBe(0);
  });

  test.each([
    ['a missing file', ['--baseline', 'none.jsonl'], /no baseline file none\.jsonl; write one with/],
    ['two sweeps', ['good', 'bad', '--baseline', 'none.jsonl'], /--baseline replaces base/],
    ['variants', ['--baseline', 'none.jsonl', '--variants', 'a,b'], /leave out --baseline/],
    ['writing and deciding at once', ['good', '--write-baseline', 'x.jsonl', '--gate'], /leave out --gate/],
  ])('is refused with %s, and nothing is written', async (_name, args, message) => {
    const { exitCode, stderr } = await cli(...args);
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(message)]);
  });

  test('with a merge conflict is refused, with the line', async () => {
    const broken = join(project.folder, 'broken.jsonl');
    writeFileSync(broken, `<<<<<<< ours\n${readFileSync(file(), 'utf8')}`);
    const { exitCode, stderr } = await cli('--baseline', broken);
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringMatching(/broken\.jsonl is not a baseline: line 1: a merge conflict/),
    ]);
  });
});
