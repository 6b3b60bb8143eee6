import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Comparison } from '../../src/decide/comparison/document.js';
import type { SweepCell, SweepDocument } from '../../src/decide/documents/sweep-document.js';
import { createJudgedProject, judged, judgeEnv, judgment } from './judged-project.js';
import { createModelServer, type ModelServer } from './model-server.js';
import { documentOf, type TestProject } from './project.js';

const FIFTHS = [0, 0.2, 0.4, 0.6, 0.8, 1];

let server: ModelServer;
let project: TestProject;
let sweep: SweepDocument;

beforeAll(async () => {
  server = await createModelServer();
  server.script('varying', ...[...FIFTHS, ...FIFTHS].map((score) => ({ say: judgment(score, 1 - score) })));
  project = await createJudgedProject(server);
  await project.write('fixtures/notes.yaml', judged('notes', 'house/varying'));
  sweep = await run('first', 12);
});
afterAll(async () => {
  await project.remove();
  await server.close();
});

async function run(name: string, repeat: number): Promise<SweepDocument> {
  const args = ['notes', '--name', name, '--repeat', String(repeat), '--concurrency', '4', '--no-cache'];
  return (await project.run(args, judgeEnv(server))).document;
}

/** Fills in the form of each run as a person would, with scores out of 5; null: none. */
async function review(of: (cell: SweepCell) => { whole?: number; correct?: number; tidy?: number }): Promise<void> {
  for (const cell of sweep.cells) {
    const file = join(cell.results_dir ?? '', 'evaluation.md');
    const { whole, correct, tidy } = of(cell);
    const filled = (text: string, label: string, points: number | undefined): string =>
      text.replace(new RegExp(`(${label}): \\S+/5`), `$1: ${points ?? '__'}/5`);
    const text = await readFile(file, 'utf8');
    const one = filled(text, 'Human Score', whole);
    await writeFile(file, filled(filled(one, 'Human Score of correct', correct), 'Human Score of tidy', tidy));
  }
}

/** With the weights of the rubric, 0.6 and 0.4, the score of the judge is 0.4 + 0.2 x correct. */
const correctOf = ({ judge_score: score }: SweepCell): number => Math.round(((score ?? 0) - 0.4) * 25);
const shown = async (...args: string[]): Promise<string> => (await project.cli(args)).stdout;
const calibrationOf = async (name: string) => documentOf(await shown('show', name, '--json')).calibration?.[0];

describe('the judge of a sweep', () => {
  test('is not calibrated before a person has scored a run, and show, report and compare warn', async () => {
    const warning = 'judge house/varying is not calibrated: no person has scored a run that it judged';
    expect(sweep.calibration).toMatchObject([{ judge: 'house/varying', judged: 12, verdict: 'not calibrated' }]);
    expect(await shown('show', 'first')).toContain(`warning: ${warning}`);
    for (const format of ['md', 'html', 'github'])
      expect(await shown('report', 'first', '--format', format)).toContain(warning);
  });

  test('agrees with people who give the same scores by criterion', async () => {
    await review((cell) => ({ correct: correctOf(cell), tidy: 5 - correctOf(cell) }));
    const calibration = await calibrationOf('first');
    expect(calibration).toMatchObject({
      verdict: 'agrees',
      overall: { reviewed: 0, verdict: 'not calibrated' },
      criteria: [
        { criterion: 'correct', reviewed: 12, verdict: 'agrees', corrected: { reviewed: 12 } },
        { criterion: 'tidy', reviewed: 12, verdict: 'agrees' },
      ],
    });
    for (const { kappa, difference } of calibration?.criteria ?? []) {
      expect(kappa).toBeCloseTo(1, 6);
      expect(difference).toBeCloseTo(0, 6);
    }
    const text = await shown('show', 'first');
    expect(text).toContain('judge house/varying agrees with people: weighted kappa 1.00');
    expect(text).not.toContain('warning: ');
    expect(text).toMatch(/house\/varying +tidy +12 +1\.00/);
    const run = sweep.cells[0]?.results_dir?.split('/').at(-1) ?? '';
    expect(await shown('show', run)).toMatch(/human review\n {2}no score\n {2}correct \d\.\d\d\n {2}tidy \d\.\d\d\n/);
    expect(await shown('report', 'first')).toMatch(/### Judges compared with people\n\n(.*\n){2}.*correct/);
  });

  test('agrees little with people who give opposite scores, and says what it would get wrong', async () => {
    await review((cell) => ({ whole: (cell.judge_score ?? 0) >= 0.5 ? 0 : 5 }));
    expect(await calibrationOf('first')).toMatchObject({
      verdict: 'low agreement',
      overall: { reviewed: 12 },
      failed_alone: 6,
      criteria: [{ reviewed: 0 }, { reviewed: 0 }],
    });
    const text = await shown('show', 'first');
    expect(text).toMatch(/warning: judge house\/varying agrees little with people: weighted kappa -0\.\d\d/);
    expect(text).toContain('fails 6 that people would pass. Do not rely on its scores');
  });

  test('is unclear if few runs are scored; the mean of all is corrected by these', async () => {
    const few = new Set(sweep.cells.slice(0, 4).map(({ id }) => id));
    await review((cell) => (few.has(cell.id) ? { whole: 1 + Math.round((cell.judge_score ?? 0) * 2) } : {}));
    const calibration = await calibrationOf('first');
    expect(calibration).toMatchObject({
      verdict: 'unclear',
      judged: 12,
      overall: { reviewed: 4, corrected: { reviewed: 4 } },
    });
    const { mean = NaN, interval } = calibration?.overall.corrected ?? {};
    expect(mean).toBeGreaterThanOrEqual(interval?.low ?? NaN);
    expect(await shown('show', 'first')).toMatch(/warning: whether judge house\/varying agrees with people is unclear/);
  });

  test('keeps its calibration in later sweeps, and compare warns of one that is not trusted', async () => {
    await review((cell) => ({ whole: (cell.judge_score ?? 0) >= 0.5 ? 0 : 5 }));
    await run('second', 2);
    expect(await calibrationOf('second')).toMatchObject({
      judged: 2,
      verdict: 'low agreement',
      overall: { reviewed: 12, corrected: null },
    });
    const comparison = Comparison.parse(JSON.parse(await shown('compare', 'first', 'second', '--json')));
    const warning = /^judge house\/varying agrees little with people: /;
    expect(comparison.doubts.filter((doubt) => warning.test(doubt))).toHaveLength(1);
    expect(comparison.calibration).toMatchObject({
      base: [{ judged: 12, overall: { corrected: { reviewed: 12 } } }],
      head: [{ judged: 2, overall: { corrected: null } }],
    });
    expect(await shown('compare', 'first', 'second')).toMatch(/\nbase +house\/varying +weighted score +12 /);
  });
});

test('a score of a criterion that the judge does not have is named with its place', async () => {
  const file = join(sweep.cells[0]?.results_dir ?? '', 'evaluation.md');
  await writeFile(file, (await readFile(file, 'utf8')).replace(/Score of correct: \S+/, 'Score of corect: 4/5'));
  const { stderr, exitCode } = await project.cli(['show', 'first']);
  expect(exitCode).toBe(0);
  expect(stderr).toMatch(
    /^warning: .*\/evaluation\.md:\d+:\d+ the judge has no criterion 'corect'; it has correct, tidy$/m,
  );
});
