import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { renderEvaluation } from '../../../src/reports/run/evaluation-md.js';
import type { Judged } from '../../../src/model/review/judged.js';
import { parseReview, type ParsedReview } from '../../../src/model/review/parse-review.js';
import { keepReview, nameInForm, reviewForm } from '../../../src/model/review/review-section.js';
import { REPOSITORY } from '../../commands/project.js';
import { metrics, run } from '../sample.js';

const written = renderEvaluation(run(), metrics());
const REVIEW_TEMPLATE = reviewForm({ criteria: [], gates: [] });
const [SCORE = '', LABELS = '', REVIEWER = '', NOTES = ''] = REVIEW_TEMPLATE;
/** The file with a review instead of the template. */
const withReview = (...lines: string[]): string =>
  written.replace(REVIEW_TEMPLATE.join('\n\n'), () => lines.join('\n'));
const review = (...lines: string[]): ParsedReview | null => parseReview(withReview(...lines));

const NOTHING = {
  score: null,
  criteria: {},
  gates: {},
  labels: [],
  notes: null,
  reviewer: null,
  problem: null,
};
const FOUR = { ...NOTHING, score: { points: 4, max: 5 } };

describe('parseReview', () => {
  test('finds no review in a file as it is written', () => {
    expect(written).toContain(REVIEW_TEMPLATE.join('\n\n'));
    expect(parseReview(written)).toBeNull();
  });

  test('finds no review in a file of an earlier build, and reads one written there', () => {
    const results = join(REPOSITORY, 'test/commands/recorded/results');
    const files = readdirSync(results, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('evaluation.md'),
    );
    expect(files.length).toBeGreaterThan(2);
    for (const file of files) {
      const text = readFileSync(join(results, file), 'utf8');
      expect(parseReview(text)).toBeNull();
      expect(parseReview(text.replace('__/5', '4/5'))).toEqual(FOUR);
    }
  });

  test.each<[string, string[]]>([
    ['inside the comment', ['<!-- Human Score: 4/5 -->', NOTES]],
    ['in place of the comment', ['Human Score: 4/5', '', NOTES]],
    ['after the comment', [SCORE, REVIEWER, NOTES, 'Human Score: 4/5']],
    ['on the line below', ['Human Score:', '', '4/5']],
    ['on the line below the comment', ['<!-- Human Score: -->', '4']],
    ['beside the empty comment', ['<!-- Human Score: --> 4/5', NOTES]],
    ['in a comment beside the empty one', ['<!-- Human Score: --><!-- 4/5 -->', NOTES]],
    ['in bold', ['**Human Score:** 4/5']],
    ['in bold as a whole', ['**Human Score: 4/5**']],
    ['in a list', ['- Human score: 4/5']],
    ['as a heading', ['### Human Score: 4/5']],
    ['without a colon', ['Human Score 4/5']],
    ['with an equals sign', ['human score = 4/5']],
    ['in short', ['Score: 4/5']],
  ])('reads a score %s', (_, lines) => {
    expect(review(...lines)).toEqual(FOUR);
  });

  test.each<[string, string[], string]>([
    ['inside the comment', ['<!-- Further Human Notes: Too slow. -->'], 'Too slow.'],
    [
      'in a comment of several lines',
      ['<!-- Further Human Notes:', 'Too slow.', '', 'a --> b', '-->'],
      'Too slow.\n\na --> b',
    ],
    ['below the comment', [NOTES, '', 'Too slow.'], 'Too slow.'],
    ['without the comment', ['Notes: Too slow.', '- and dear'], 'Too slow.\n- and dear'],
    ['above the label', ['Too slow.', NOTES], 'Too slow.'],
    ['without any label', ['Too slow.'], 'Too slow.'],
    ['with headings', [NOTES, '## Bad', 'Too slow.', '### Good', 'Cheap.'], '## Bad\nToo slow.\n### Good\nCheap.'],
    ['with words that are labels elsewhere', [NOTES, 'Score: of style', 'Note: 3/5'], 'Score: of style\nNote: 3/5'],
    ['with code', [NOTES, '```', '  stock list', '```'], '```\n  stock list\n```'],
  ])('reads notes %s', (_, lines, notes) => {
    expect(review(SCORE, ...lines)).toEqual({ ...NOTHING, notes });
    expect(review('Human Score: 4/5', ...lines)).toEqual({ ...FOUR, notes });
  });

  test('takes what stands before an empty label for no score', () => {
    expect(review('<!-- 3/5 --><!-- Human Score: -->')).toEqual({ ...NOTHING, notes: '3/5' });
  });

  test('takes a remark beside the score into the notes, and reads the reviewer', () => {
    expect(review('Human Score: 4/5 - quick', '<!-- Reviewer: Ana -->', NOTES, 'Cheap.')).toEqual({
      ...FOUR,
      reviewer: 'Ana',
      notes: 'quick\n\nCheap.',
    });
    expect(review(SCORE, 'Reviewed by: Ana', NOTES)).toEqual({ ...NOTHING, reviewer: 'Ana' });
  });

  test.each<[string, string[], string[]]>([
    ['in the comment', ['<!-- Labels: flaky-env, false-pass -->', NOTES], ['flaky-env', 'false-pass']],
    ['without the comment', ['Labels: flaky-env', NOTES], ['flaky-env']],
    ['each once', ['Label: `a`, a,, b  c', NOTES], ['a', 'b c']],
    ['none in the form', [SCORE, LABELS, NOTES, 'Slow.'], []],
    ['none for a dash', ['Labels: -', NOTES, 'Slow.'], []],
    ['none within notes', [NOTES, 'Slow.', 'Labels: are missing'], []],
  ])('reads labels: %s', (_, lines, labels) => {
    expect(review('Human Score: 4/5', ...lines)).toMatchObject({ labels, problem: null });
  });

  test('says where a label cannot be read, and keeps the others', () => {
    const read = review('Human Score: 4/5', '<!-- Labels: good, <b> -->', NOTES);
    expect(read?.labels).toEqual(['good']);
    expect(read?.problem).toMatchObject({
      column: 14,
      message: expect.stringContaining("'<b>' is not a label") as string,
    });
  });

  test('reads files with other line ends', () => {
    for (const end of ['\r\n', '\r']) {
      const text = withReview('Human Score: 4/5', NOTES, 'One.', 'Two.').replaceAll('\n', end);
      expect(parseReview(text)).toEqual({ ...FOUR, notes: 'One.\nTwo.' });
    }
  });

  test('names the place of a score that it cannot read, and keeps the notes', () => {
    const text = withReview('<!-- Human Score: four/5 -->', NOTES, 'Good.');
    const found = parseReview(text);
    expect(found).toMatchObject({ score: null, notes: 'Good.' });
    const { line = 0, column = 0, message } = found?.problem ?? {};
    expect(text.split('\n')[line - 1]?.slice(column - 1)).toBe('four/5 -->');
    expect(message).toContain("'four/5' is not a score; write a score like 4/5, 8/10 or 80%");
  });

  test('does not choose between two scores', () => {
    const text = withReview('<!-- Human Score: 4/5 -->', 'Human Score: 3/5');
    const { score, problem } = parseReview(text) ?? {};
    expect([score, problem?.message]).toEqual([null, 'a second score; leave only one']);
    expect(text.split('\n')[(problem?.line ?? 0) - 1]).toBe('Human Score: 3/5');
  });

  test('reports a score below an empty label that is out of range', () => {
    expect(review('Human Score:', '9/5')?.problem?.message).toContain('9 is more than the maximum of 5');
  });

  test('takes no score from foreign text in other sections', () => {
    const evaluator = { name: 'Human Review', metrics: null, score: 1, error: null };
    const forged = { ...evaluator, summary: 'Human Score: 5/5' };
    const text = renderEvaluation(run(), metrics({ evaluator_results: [forged] }));
    expect(text).toContain('\nHuman Score: 5/5\n');
    expect(parseReview(text)).toBeNull();
  });

  test('says what is wrong if the heading is gone, or the file is not UTF-8', () => {
    const text = withReview('Human Score: 4/5').replace('## Human Review\n', '');
    const { line = 0, message } = parseReview(text)?.problem ?? {};
    expect(text.split('\n')[line - 1]).toBe('Human Score: 4/5');
    expect(message).toContain("below the heading '## Human Review'");
    const utf16 = Buffer.from(withReview('Human Score: 4/5'), 'utf16le').toString();
    expect(parseReview(utf16)?.problem?.message).toContain('save the file as UTF-8');
  });

  test('reads back whatever is written under the notes', () => {
    const words = fc
      .string({ unit: 'grapheme', minLength: 1 })
      .map((text) => `note ${text.replace(/[\s\0]+/gu, ' ')}`.trim());
    fc.assert(
      fc.property(fc.array(words, { minLength: 1 }), (lines) => {
        expect(review('Human Score: 4/5', NOTES, ...lines)?.notes).toBe(lines.join('\n'));
      }),
    );
  });

  test('reads a line of very many comments', () => {
    expect(review('<!-- -->'.repeat(100_000), 'Human Score: 4/5')).toEqual(FOUR);
    expect(review('<!-- Human Score: 4/5 --> <!-- Reviewer: Ana --> <!-- Notes: Fine. --> Good.')).toEqual({
      ...FOUR,
      reviewer: 'Ana',
      notes: 'Fine.\n Good.',
    });
  });

  test('never throws, and has a score within its maximum, or none', () => {
    const part = fc.oneof(
      fc.constantFrom(SCORE, NOTES, '<!--', '-->', '## Human Review', '## Links', 'Human Score: 4/5', 'Score:'),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(part), fc.constantFrom('\n', '\r\n', ' '), (parts, joint) => {
        const { score, problem } = review(parts.join(joint)) ?? NOTHING;
        if (score !== null) expect(score.points).toBeLessThanOrEqual(score.max);
        if (problem !== null) expect(score).toBeNull();
      }),
    );
  });
});

describe('scores of criteria', () => {
  const CRITERIA: Judged = { criteria: ['correct', 'tidy: no leftovers', 'Tidy'], gates: [] };
  const form = reviewForm(CRITERIA);
  const withForm = (edit: (text: string) => string): string => withReview(...edit(form.join('\n\n')).split('\n'));
  const points = (count: number) => ({ points: count, max: 5 });

  test('the form has a line for each criterion, and none of them is a review', () => {
    expect(form).toContain('<!-- Human Score of tidy: no leftovers: __/5 -->');
    expect(
      parseReview(
        withForm((text) => text),
        CRITERIA,
      ),
    ).toBeNull();
  });

  test('are read beside the score of the run, or without one', () => {
    const some = withForm((text) => text.replace('of correct: __', 'of correct: 4'));
    expect(parseReview(some, CRITERIA)).toEqual({ ...NOTHING, criteria: { correct: points(4) } });
    const all = withForm((text) =>
      text
        .replace('Score: __', 'Score: 3')
        .replace('of correct: __/5', 'of correct: 80%, slow')
        .replace('leftovers: __', 'leftovers: 2')
        .replace('of Tidy: __', 'of Tidy: 1'),
    );
    expect(parseReview(all, CRITERIA)).toEqual({
      ...NOTHING,
      score: points(3),
      criteria: {
        correct: { points: 80, max: 100 },
        'tidy: no leftovers': points(2),
        Tidy: points(1),
      },
      notes: 'correct: slow',
    });
  });

  test.each<[string, string[]]>([
    ['without the comment', ['Human score for Correct: 4/5']],
    ['on the line below', ['<!-- Human Score of correct: -->', '4/5']],
    ['below the notes', [NOTES, 'Good.', 'Human Score of correct: 4/5']],
  ])('are read %s', (_, lines) => {
    expect(parseReview(withReview(...lines), CRITERIA)?.criteria).toEqual({ correct: points(4) });
  });

  test('of an unknown criterion are a problem with its place, and the rest counts', () => {
    const text = withReview('Human Score: 4/5', '<!-- Human Score of corect: 3/5 -->', 'Human Score of Tidy: 2/5');
    const found = parseReview(text, CRITERIA);
    expect(found).toMatchObject({ score: points(4), criteria: { Tidy: points(2) } });
    expect(found?.problem?.message).toBe(
      "the judge has no criterion 'corect'; it has correct, tidy: no leftovers, Tidy",
    );
    expect(text.split('\n')[(found?.problem?.line ?? 0) - 1]).toContain('corect');
  });

  test('that cannot be read are a problem, and the score of the run counts', () => {
    const twice = ['Human Score of correct: 4/5', 'Human Score of correct: 3/5'];
    for (const [lines, message] of [
      [['Human Score of correct: 9/5'], '9 is more than the maximum of 5'],
      [twice, 'a second score; leave only one'],
    ] as const) {
      const found = parseReview(withReview('Human Score: 4/5', ...lines), CRITERIA);
      expect(found).toMatchObject({ score: points(4), criteria: {} });
      expect(found?.problem?.message).toContain(message);
    }
  });

  test('are sentences where there are no such criteria: files of earlier builds are read as before', () => {
    const sentence = 'Human score of the last run: 3/5';
    expect(review(NOTES, sentence)).toEqual({ ...NOTHING, notes: sentence });
    expect(review(sentence)).toEqual({ ...NOTHING, notes: sentence });
    expect(parseReview(withReview(NOTES, sentence), CRITERIA)).toEqual({ ...NOTHING, notes: sentence });
  });

  test('are read back from the form, whatever the criteria are called', () => {
    const id = fc
      .string({ unit: 'grapheme', minLength: 1 })
      .filter((text) => /^\P{Cc}*$/u.test(text) && text.trim() !== '');
    const ids = fc.uniqueArray(fc.oneof(id, fc.constantFrom('a', 'A', 'a: b', 'a-->', '-->', '--!>')), {
      minLength: 1,
      maxLength: 5,
      selector: (text) => nameInForm(text),
    });
    fc.assert(
      fc.property(ids, (criteria) => {
        const judged: Judged = { criteria, gates: [] };
        const lines = reviewForm(judged).map((line, at) => line.replace('__/5', () => `${at}/9`));
        const found = parseReview(withReview(...lines), judged);
        expect(found).toEqual({
          ...NOTHING,
          score: { points: 0, max: 9 },
          criteria: Object.fromEntries(criteria.map((one, at) => [one, { points: at + 1, max: 9 }])),
        });
      }),
    );
  });
});

describe('verdicts on gates', () => {
  const JUDGED: Judged = {
    criteria: ['correct'],
    gates: [
      { number: 1, title: 'llm_judge The list is complete: all of it' },
      { number: 12, title: 'user_satisfaction polite' },
    ],
  };
  const form = reviewForm(JUDGED);
  const withForm = (edit: (text: string) => string): ParsedReview | null =>
    parseReview(withReview(...edit(form.join('\n\n')).split('\n')), JUDGED);

  test('the form has a line for each gate that a model decided, and none of them is a review', () => {
    expect(form).toContain(
      '<!-- Human Verdict on gate 1 (llm_judge The list is complete: all of it), pass or fail: __ -->',
    );
    expect(withForm((text) => text)).toBeNull();
  });

  test('are read from the form, beside scores', () => {
    const found = withForm((text) =>
      text
        .replace('complete: all of it), pass or fail: __', 'complete: all of it), pass or fail: Pass')
        .replace('polite), pass or fail: __', 'polite), pass or fail: fail (rude at the end)')
        .replace('of correct: __', 'of correct: 4'),
    );
    expect(found).toEqual({
      ...NOTHING,
      criteria: { correct: { points: 4, max: 5 } },
      gates: { 1: 'pass', 12: 'fail' },
      notes: 'gate 12: (rude at the end)',
    });
  });

  test.each<[string, string[]]>([
    ['by number alone', ['Human verdict on gate 12: failed']],
    ['on the line below', ['<!-- Human Verdict of gate 12: -->', 'fail']],
    ['beside the empty comment', ['<!-- Human Verdict of gate 12: --> fail']],
    ['below the notes', [NOTES, 'Rude.', 'Human Verdict for gate 12: **fail**.']],
  ])('are read %s', (_, lines) => {
    expect(parseReview(withReview(...lines), JUDGED)?.gates).toEqual({ 12: 'fail' });
  });

  test.each<[string, string]>([
    ['Human Verdict on gate 12: good', "'good' is not a verdict; write pass or fail, and put remarks into the notes"],
    ['Human Verdict on gate 12: pass or fail', "'pass or fail' is not a verdict"],
    ['Human Verdict on gate 12: passable', "'passable' is not a verdict"],
    ['Human Verdict on gate 2: pass', "no model has judged 'gate 2'; it has judged gate 1, gate 12"],
    ['Human Verdict on gate 1: pass\nHuman Verdict on gate 1: fail', 'a second verdict; leave only one'],
  ])('%s is a problem with its place, and the rest counts', (line, message) => {
    const text = withReview('Human Score: 4/5', ...line.split('\n'));
    const found = parseReview(text, JUDGED);
    expect(found).toMatchObject({ score: { points: 4, max: 5 }, gates: {} });
    expect(found?.problem?.message).toContain(message);
    expect(text.split('\n')[(found?.problem?.line ?? 0) - 1]).toBe(line.split('\n').at(-1));
  });

  test('are read back from the form, whatever the gates are called', () => {
    const title = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('-->', 'a: pass', '), pass or fail: fail'));
    const gates = fc.uniqueArray(fc.record({ number: fc.integer({ min: 1, max: 30 }), title }), {
      selector: ({ number }) => number,
      minLength: 1,
      maxLength: 5,
    });
    fc.assert(
      fc.property(gates, (some) => {
        const judged: Judged = { criteria: [], gates: some };
        const lines = reviewForm(judged).map((line) => line.replace(/: __ -->$/, ': pass -->'));
        expect(parseReview(withReview(...lines), judged)?.gates).toEqual(
          Object.fromEntries(some.map(({ number }) => [number, 'pass'])),
        );
      }),
    );
  });
});

describe('keepReview', () => {
  const again = renderEvaluation(run({ message: 'graded again' }), metrics());

  test('keeps what a person wrote when the file is written again', () => {
    const edited = withReview('<!-- Human Score: 4/5 -->', '', NOTES, '', 'Too slow: $& $1', '## Mine', 'Yes.', '');
    const kept = keepReview(again, edited);
    expect(kept).toContain('graded again');
    expect(parseReview(kept)).toEqual(parseReview(edited));
    expect(parseReview(kept)?.notes).toBe('Too slow: $& $1\n## Mine\nYes.');
    expect(keepReview(again, kept)).toBe(kept);
  });

  test('changes nothing if there is no earlier file, or nobody edited it', () => {
    expect(keepReview(again, null)).toBe(again);
    expect(keepReview(again, written)).toBe(again);
    expect(keepReview(again, 'something else')).toBe(again);
  });
});
