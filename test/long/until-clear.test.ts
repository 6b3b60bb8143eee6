import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SweepDocument } from '../../src/decide/documents/sweep-document.js';
import { createProject, documentOf, type TestProject } from '../commands/project.js';
import { addScripted } from '../commands/scripted-sides.js';

let project: TestProject;

beforeAll(async () => {
  project = await createProject({});
  await addScripted(project, 'clear', { good: '1', bad: '0' });
  await addScripted(project, 'alike', { one: '1', other: '1' });
  await addScripted(project, 'noisy', { one: '10', other: '01' });
  await addScripted(project, 'shaky', { good: '1', bad: '00e0' });
  await addScripted(project, 'broken', { good: '1', bad: 'e' });
  await addScripted(project, 'mended', { good: '1', bad: 'e' });
  await addScripted(project, 'dear', { good: '1', bad: '0' }, ['usage: {cost_usd: 0.1}']);
  await addScripted(project, 'past', { only: '1' });
  await addScripted(project, 'cheap', { one: '10', other: '01' }, ['usage: {cost_usd: 0.01}']);
  await addScripted(project, 'costly', { one: '10', other: '01' }, ['usage: {cost_usd: 0.25}']);
});
afterAll(() => project.remove());

const run = (...args: string[]) => project.run([...args, '--until-clear']);
const callsOf = async (side: string): Promise<number> =>
  (await readdir(join(project.folder, 'calls'))).filter((name) => name.startsWith(`${side}.`)).length;
const outcomes = ({ cells }: SweepDocument) => cells.map(({ outcome }) => outcome);

describe('--until-clear --base <variant>', () => {
  let worse: SweepDocument;

  test('stops when one side is clearly worse, exits with 1, and runs no more than it reports', async () => {
    const { exitCode, document } = await run('clear', '--base', 'good');
    worse = document;
    expect(exitCode).toBe(1);
    expect(document).toMatchObject({
      status: 'completed',
      decision: { verdict: 'worse', stopped: 'clear', difference: -1, most_runs: 40, pairs_left_out: 0 },
    });
    const { runs = 0 } = document.decision ?? {};
    expect(runs).toBeLessThan(20);
    expect(document.cells).toHaveLength(runs);
    expect(outcomes(document)).not.toContain(null);
    expect((await callsOf('clear-good')) + (await callsOf('clear-bad'))).toBe(runs);
  });

  test('show, report and sweeps tell the same of it', async () => {
    const shown = documentOf((await project.cli(['show', worse.sweep, '--json'])).stdout);
    expect(shown.decision).toEqual(worse.decision);
    expect(outcomes(shown)).toEqual(outcomes(worse));
    const sentence = 'bad is worse than good: pass rate -100 points';
    expect((await project.cli(['show', worse.sweep])).stdout).toContain(sentence);
    for (const format of ['md', 'html', 'github'])
      expect((await project.cli(['report', worse.sweep, '--format', format])).stdout).toContain(sentence);
    const { stdout } = await project.cli(['sweeps', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ sweeps: [{ totals: { cells: worse.cells.length } }] });
  });

  test('the other way round it is better, and exits with 0', async () => {
    const { exitCode, document } = await run('clear', '--variants', 'good', '--base', 'bad');
    expect([exitCode, document.decision?.verdict]).toEqual([0, 'better']);
  });

  test('without a margin, sides that are alike use all runs and stay undecided, with exit code 4', async () => {
    const { exitCode, document } = await run('noisy', '--base', 'one', '--max-runs', '6');
    expect(exitCode).toBe(4);
    expect(document.decision).toMatchObject({ verdict: 'undecided', stopped: 'most runs', runs: 12 });
  });

  test('with a margin, it stops when the other side is not worse by that much, with exit code 0', async () => {
    const { exitCode, document } = await run('alike', '--base', 'one', '--margin', '40');
    expect(exitCode).toBe(0);
    expect(document.decision?.verdict).toMatch(/^(not worse|equivalent)$/);
    expect(document.decision?.stopped).toBe('clear');
    expect(document.decision?.runs).toBeLessThan(40);
  });

  test('a cell that ends with an error is run again, and its pair counts once both sides have ended', async () => {
    const { exitCode, document } = await run('shaky', '--base', 'good', '--max-runs', '16');
    expect(exitCode).toBe(1);
    const [configuration] = document.decision?.configurations ?? [];
    expect(configuration?.base.tested).toBe(configuration?.head.tested);
    expect(document.decision).toMatchObject({ verdict: 'worse', pairs_left_out: 0 });
    expect(document.totals.errored).toBe(0);
    const again = document.decision?.runs_again ?? 0;
    expect(again).toBeGreaterThan(0);
    const lines = (await project.resultLines()).filter(({ sweep }) => sweep === document.sweep);
    expect(lines.filter(({ outcome }) => outcome === 'error')).toHaveLength(again);
    expect(lines).toHaveLength(document.cells.length + again);
    expect(document.decision?.doubts.join()).toContain('had a run that ended with an error');
  });

  test('a side that cannot be tested ends the sweep soon, with exit code 3', async () => {
    const { exitCode, document } = await run('broken', '--base', 'good');
    expect(exitCode).toBe(3);
    expect(document.decision).toMatchObject({ verdict: 'not tested', stopped: 'errors' });
    expect(document.decision?.runs).toBeLessThan(12);
  });

  test('retry leaves a clear verdict alone, and continues what could not be tested', async () => {
    const clear = await project.cli(['retry', worse.sweep, '--json']);
    expect(clear.stderr).toContain('no cells to rerun');
    expect(documentOf(clear.stdout).decision).toEqual(worse.decision);
    const refused = await project.cli(['retry', worse.sweep, '--failed']);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain(`To rerun what could not be tested: \`llm-tool-test retry ${worse.sweep}\``);
    expect(refused.stderr).toContain('To decide again from new runs: `llm-tool-test run --until-clear`');
    const { document: untested } = await run('mended', '--base', 'good', '--margin', '40');
    expect(untested.decision?.verdict).toBe('not tested');
    await project.write('calls/mended', '');
    const again = await project.cli(['retry', untested.sweep, '--json']);
    expect(documentOf(again.stdout).decision).toMatchObject({ stopped: 'clear', pairs_left_out: 0 });
    expect(again.exitCode).toBe(0);
  });

  test('show tells what was decided at the time, even if this build would decide otherwise', async () => {
    const file = join(project.results, 'sweeps', worse.sweep, 'summary.json');
    const summary = JSON.parse(await readFile(file, 'utf8')) as SweepDocument;
    const earlier = { ...summary, decision: { ...summary.decision, spent_alpha: 0.0123 } };
    await writeFile(file, JSON.stringify(earlier));
    expect((await project.cli(['show', worse.sweep])).stdout).toContain(
      '0.0123 of the significance level of 0.05 spent',
    );
    await writeFile(file, JSON.stringify(summary));
  });

  test('buys more of the runs that cost less', async () => {
    const { document } = await run('cheap', 'costly', '--base', 'one', '--max-runs', '8', '--max-usd', '2');
    const tested = document.decision?.configurations.map(({ scenario, head }) => [scenario, head.tested]);
    const { cheap = 0, costly = 0 } = Object.fromEntries(tested ?? []) as Record<string, number>;
    expect(costly).toBeGreaterThan(0);
    expect(cheap).toBeGreaterThan(costly);
  });

  test('a budget that is used up ends it, with what is known', async () => {
    const { exitCode, document } = await run('dear', '--base', 'good', '--max-usd', '0.55');
    expect(exitCode).toBe(4);
    expect(document.decision).toMatchObject({ verdict: 'undecided', stopped: 'budget', runs: 5 });
    expect(document.cost_usd).toBe(0.5);
    const shown = documentOf((await project.cli(['show', document.sweep, '--json'])).stdout);
    expect(shown.decision).toEqual(document.decision);
  });
});

describe('--until-clear --base <sweep>', () => {
  test('compares with the outcomes of a finished sweep, runs only the new side, and says what that cannot rule out', async () => {
    const { document: base } = await project.run(['past', '--repeat', '12', '--name', 'past']);
    await addScripted(project, 'dear', { good: '1', bad: '0' }, ['usage: {cost_usd: 0.1}']);
    await addScripted(project, 'past', { only: '0' });
    const { exitCode, document } = await run('past', '--base', base.sweep);
    expect(exitCode).toBe(1);
    expect(document.decision).toMatchObject({
      base: { variant: null, sweep: base.sweep },
      head_variant: null,
      verdict: 'worse',
      most_runs: 12,
      doubts: [expect.stringContaining('ran earlier')],
    });
    expect(document.cells).toHaveLength(document.decision?.runs ?? 0);
    expect(document.cells.length).toBeLessThan(12);
  });
});
