import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { renderEvaluation } from '../../src/reports/run/evaluation-md.js';
import { Comparison } from '../../src/decide/comparison/document.js';
import type { HumanReview } from '../../src/model/records/human-review.js';
import { metrics, run } from '../model/sample.js';
import { writePastSweep } from './past-sweep.js';
import { embeddedReport } from './embedded-report.js';
import { createProject, documentOf, type TestProject } from './project.js';

/** Recorded results: `first` and `second` with a run of the variants `plain` and `guided` each. */
const RECORDED = join(import.meta.dirname, 'recorded', 'results');
const [FIRST, SECOND] = ['first-5ac5f21eb7e7', 'second-ef3fb828b737'];
const GUIDED = '20261123-192602-mock-default-notes-bc42969f';

let project: TestProject;
beforeAll(async () => {
  project = await createProject({ 'fixtures/base/README.md': '# Notes\n' });
});
beforeEach(() => cp(RECORDED, project.results, { recursive: true }));
afterAll(() => project.remove());

const fileOf = (runId: string): string => join(project.results, runId, 'evaluation.md');
const changeFile = async (runId: string, change: (text: string) => string): Promise<string> => {
  const text = change(await readFile(fileOf(runId), 'utf8'));
  await writeFile(fileOf(runId), text);
  return text;
};
/** Writes a review as a person would: a score into the comment, and notes below the other comment. */
const write = (runId: string, score: string, ...notes: string[]): Promise<string> =>
  changeFile(runId, (text) =>
    text
      .replace('__/5', () => score)
      .replace('<!-- Further Human Notes: -->', (comment) => [comment, ...notes].join('\n')),
  );
const report = async (...args: string[]): Promise<string> => (await project.cli(['report', FIRST, ...args])).stdout;
const humanOf = async (runId: string): Promise<HumanReview | undefined> => {
  const { stdout } = await project.cli(['show', runId, '--json']);
  return (JSON.parse(stdout) as { human?: HumanReview }).human;
};

describe('a review in evaluation.md', () => {
  test('is absent from documents and reports as long as nobody writes one', async () => {
    expect(await humanOf(GUIDED)).toBeUndefined();
    const { stdout, stderr } = await project.cli(['show', FIRST, '--json']);
    expect(documentOf(stdout).cells.map((cell) => 'human' in cell)).toEqual([false, false]);
    expect(stderr).toBe('');
    for (const format of ['md', 'junit']) expect(await report('--format', format)).not.toMatch(/human(?!\.txt)/i);
    const { sweep, runs } = embeddedReport(await report('--format', 'html'));
    expect(sweep.document.cells.map((cell) => 'human' in cell)).toEqual([false, false]);
    expect(Object.values(runs)).toMatchObject([{ answer: { human: null } }, { answer: { human: null } }]);
  });

  test('is shown with its run', async () => {
    await write(GUIDED, '4/5', 'Did it in two steps.', '- but slowly');
    expect(await humanOf(GUIDED)).toEqual({
      score: 0.8,
      points: 4,
      max: 5,
      notes: 'Did it in two steps.\n- but slowly',
      reviewer: null,
      problem: null,
    });
    const { stdout } = await project.cli(['show', GUIDED]);
    expect(stdout).toContain('\nhuman review\n  4/5\n  Did it in two steps.\n  - but slowly\n');
  });

  test('is shown with its sweep, beside runs without one', async () => {
    await write(GUIDED, '8/10', 'Fine.');
    const { stdout } = await project.cli(['show', FIRST]);
    expect(stdout.match(/human .*/g)?.map((line) => line.split(/ {2,}/)[0])).toEqual(['human 8/10']);
    const document = documentOf((await project.cli(['show', FIRST, '--json'])).stdout);
    expect(document.cells.map(({ human }) => human?.score)).toEqual([undefined, 0.8]);
    expect(document).toEqual(documentOf(await report('--format', 'json')));
  });

  test('is in every report, as text that changes no structure', async () => {
    await write(GUIDED, '80%', '<script>alert(1)</script> | *loud* ]]>');
    expect(await report('--format', 'md')).toMatch(
      /### Human reviews\n\n(.*\n){2}\| 80% \| notes \| guided \|.*&lt;script>alert\(1\)&lt;\/script> \\\| \\\*loud\\\* \\\]\\\]>/,
    );
    const html = await report('--format', 'html');
    const human = { score: 0.8, notes: '<script>alert(1)</script> | *loud* ]]>' };
    expect(embeddedReport(html).sweep.document.cells).toContainEqual(
      expect.objectContaining({ human: expect.objectContaining(human) as object }),
    );
    expect(html).not.toContain('<script>');
    expect(await report('--format', 'junit')).toContain('<property name="human_score" value="0.8"/>');
    expect(await report('--format', 'github')).toContain('### Human reviews');
  });

  test('labels its run, in a recorded file too, and selects it by label', async () => {
    await changeFile(GUIDED, (text) =>
      text.replace('<!-- Human Score', '<!-- Labels: flaky-env, false-pass -->\n\n<!-- Human Score'),
    );
    expect(await humanOf(GUIDED)).toMatchObject({ score: null, labels: ['flaky-env', 'false-pass'] });
    expect((await project.cli(['show', GUIDED])).stdout).toContain('labels flaky-env, false-pass');
    expect((await project.cli(['show', FIRST])).stdout).toContain('flaky-env, false-pass');
    const shown = await project.cli(['show', FIRST, '--label', 'false-pass', '--json']);
    expect(documentOf(shown.stdout).cells.map(({ variant }) => variant)).toEqual(['guided']);
    const unknown = await project.cli(['show', FIRST, '--label', 'false-pas']);
    expect([unknown.exitCode, unknown.stderr]).toEqual([
      2,
      expect.stringContaining("has the label 'false-pas'; did you mean 'false-pass'?"),
    ]);
    expect(await report('--format', 'md')).toMatch(/\| Labels \|(.*\n){2}.*\| flaky-env, false-pass \|/);
    const { cells } = embeddedReport(await report('--format', 'html')).sweep.document;
    expect(cells.map(({ human }) => human?.labels)).toContainEqual(['flaky-env', 'false-pass']);
    const none = await project.cli(['show', SECOND, '--label', 'flaky-env']);
    expect([none.exitCode, none.stderr]).toEqual([2, expect.stringContaining('it has none')]);
  });

  test('is redacted like other text', async () => {
    await write(GUIDED, '4/5', `It printed ${['sk', 'ant', 'api03', 'a'.repeat(24)].join('-')}`);
    expect((await humanOf(GUIDED))?.notes).toBe('It printed [REDACTED]');
    for (const format of ['md', 'html', 'json']) expect(await report('--format', format)).not.toContain('sk-ant');
  });

  test('is named with its place and a remedy if its score cannot be read', async () => {
    const text = await write(GUIDED, 'four of five', 'Good.');
    const line = text.split('\n').findIndex((one) => one.includes('four of five')) + 1;
    const place = `evaluation.md:${line}:19 'four of five' is not a score; write a score like 4/5`;
    for (const command of [
      ['show', GUIDED],
      ['show', FIRST],
      ['report', FIRST],
      ['compare', FIRST, SECOND],
    ]) {
      const { stderr, exitCode } = await project.cli(command);
      expect([command[0], exitCode, stderr]).toEqual([
        command[0],
        0,
        expect.stringMatching(/^warning: llm-tool-test-results\/.*-bc42969f\/evaluation\.md:\d+:19 .*4\/5.*$/),
      ]);
      expect(stderr).toContain(place);
    }
    expect(await humanOf(GUIDED)).toMatchObject({ score: null, points: null, notes: 'Good.' });
    expect((await humanOf(GUIDED))?.problem).toContain(place);
    for (const format of ['md', 'html']) expect(await report('--format', format)).toContain(`evaluation.md:${line}:19`);
  });

  test('does not prevent a report if the file is gone, a folder, or too large', async () => {
    await rm(fileOf(GUIDED));
    expect(await humanOf(GUIDED)).toBeUndefined();
    await mkdir(fileOf(GUIDED));
    expect((await humanOf(GUIDED))?.problem).toContain('not a file');
    await rm(fileOf(GUIDED), { recursive: true });
    await writeFile(fileOf(GUIDED), 'x'.repeat(5 * 1024 * 1024));
    expect((await humanOf(GUIDED))?.problem).toContain('larger than 4 MiB');
    expect(await report()).toContain('larger than 4 MiB');
  });

  test('is compared by the mean, with the number of reviewed runs', async () => {
    await write(GUIDED, '2/5');
    const second = documentOf((await project.cli(['show', SECOND, '--json'])).stdout);
    for (const [at, score] of ['4/5', '10/10'].entries())
      await write(second.cells[at]?.results_dir?.split('/').at(-1) ?? '', score);
    const { stdout } = await project.cli(['compare', FIRST, SECOND, '--json']);
    const { total } = Comparison.parse(JSON.parse(stdout));
    // The other variant has no review before, so its review now is compared with nothing.
    expect(total.measures.find(({ name }) => name === 'human_score')).toMatchObject({
      name: 'human_score',
      of: 'mean',
      base: { value: 0.4, runs: 1 },
      head: { value: 1, runs: 1 },
    });
    const text = (await project.cli(['compare', FIRST, SECOND])).stdout;
    expect(text).toMatch(/human, mean +0\.40 +of 1 +1\.00 +of 1/);
  });
});

test('the reviews of 500 runs are read with the sweep', async () => {
  const runs = writePastSweep(project.results, null, { id: 'large', daysAgo: 1, runs: 500 });
  const text = renderEvaluation(run(), metrics()).replace('__/5', '3/5');
  await Promise.all(runs.map((id) => writeFile(fileOf(id), text)));
  const { stdout } = await project.cli(['show', 'large', '--json']);
  expect(documentOf(stdout).cells.filter(({ human }) => human?.score === 0.6)).toHaveLength(500);
});
