import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { renderEvaluation } from '../../../src/reports/run/evaluation-md.js';
import type { Judged } from '../../../src/model/review/judged.js';
import { parseReview } from '../../../src/model/review/parse-review.js';
import { findSection, linesOf } from '../../../src/model/review/review-section.js';
import { NO_REVIEW, writeReview, type Review } from '../../../src/model/review/write-review.js';
import { metrics, run } from '../sample.js';

const NOTHING_JUDGED: Judged = { criteria: [], gates: [] };
const JUDGED: Judged = {
  criteria: ['correct', 'tidy'],
  gates: [{ number: 2, title: 'the list is complete' }],
};
const form = renderEvaluation(run(), metrics());

const WITHOUT_LINKS = '## Human Review\n\n<!-- Human Score: __/5 -->\n';

const REVIEW: Review = {
  score: { points: 4, max: 5 },
  criteria: { correct: { points: 8, max: 10 } },
  gates: { 2: 'fail' },
  labels: ['flaky-env', 'slow'],
  notes: 'It took three tries.\n\n- one\n  - two',
  reviewer: 'Ana',
};

/** @throws if the review is refused */
function written(text: string, review: Review, judged = JUDGED): string {
  const result = writeReview(text, review, judged);
  if (result.kind === 'refused') throw new Error(result.reason);
  return result.text;
}

const outside = (text: string): string[][] => {
  const lines = linesOf(text);
  const { begin, end } = findSection(lines) ?? { begin: 0, end: 0 };
  return [lines.slice(0, begin), lines.slice(end)];
};

describe('writeReview', () => {
  test('fills in the form', () => {
    const text = written(form, REVIEW);
    expect(parseReview(text, JUDGED)).toEqual({ ...REVIEW, problem: null });
    expect(text).toContain('<!-- Human Score: 4/5 -->');
    expect(text).toContain('<!-- Human Score of correct: 8/10 -->');
    expect(text).toContain('<!-- Labels: flaky-env, slow -->\n');
    expect(text).toContain('<!-- Reviewer: Ana -->\n');
    expect(text).toContain('<!-- Further Human Notes: -->\n\nIt took three tries.\n\n- one\n  - two\n\n## Links');
    expect(outside(text)).toEqual(outside(form));
  });

  test('leaves the form as it was when all is taken back', () => {
    const review = { ...REVIEW, criteria: {}, gates: {} };
    expect(written(written(form, review, NOTHING_JUDGED), NO_REVIEW, NOTHING_JUDGED)).toBe(form);
  });

  test('keeps what a person has written in another way, and changes only what is asked', () => {
    const text = '# E\r\n## Human Review\r\n**Human Score:** 4/5 (slow)\r\n\r\nLabels: a\r\nText.\r\n\r\n## Links\r\nx';
    const read = parseReview(text, JUDGED);
    expect(read).toMatchObject({ notes: '(slow)\n\nText.', labels: ['a'] });
    expect(written(text, { ...NO_REVIEW, ...read, labels: ['a', 'b'] })).toBe(
      text.replace('Labels: a', 'Labels: a, b'),
    );
    // The remark becomes part of the notes that are written.
    expect(written(text, { ...NO_REVIEW, ...read, score: { points: 3, max: 5 } })).toBe(
      '# E\r\n## Human Review\r\n**Human Score:** 3/5\r\n\r\nLabels: a\r\n\r\n(slow)\r\n\r\nText.\r\n\r\n## Links\r\nx',
    );
  });

  test('replaces a score beside or below its label, and one that cannot be read', () => {
    const below = '## Human Review\n<!-- Human Score: -->\n4\n';
    const score = { points: 2, max: 5 };
    expect(written(below, { ...NO_REVIEW, score })).toBe('## Human Review\n<!-- Human Score: -->\n2/5\n');
    const beside = '## Human Review\n<!-- Human Score: --> 4/5\n';
    expect(written(beside, { ...NO_REVIEW, score })).toBe('## Human Review\n<!-- Human Score: --> 2/5\n');
    const unreadable = '## Human Review\nHuman Score: good\n';
    expect(written(unreadable, { ...NO_REVIEW, score })).toBe('## Human Review\nHuman Score: 2/5\n');
    expect(written(unreadable, { ...NO_REVIEW, labels: ['x'] })).toContain('Human Score: good');
  });

  test('adds the section to a file that has none', () => {
    const text = written('# Evaluation\n\n## Links\n\nx\n', REVIEW);
    expect(parseReview(text, JUDGED)).toEqual({ ...REVIEW, problem: null });
    expect(text).toMatch(/^# Evaluation\n\n## Human Review\n[^]*\n## Links\n\nx\n$/);
  });

  test.each([
    ['Human Score: 1/5', 'score'],
    ['<!-- Labels: stolen -->', 'labels'],
    ['text\n## Links', 'notes'],
  ])('refuses notes that would be read as something else: %j', (notes) => {
    const result = writeReview(WITHOUT_LINKS, { ...NO_REVIEW, notes }, JUDGED);
    expect(result).toMatchObject({ kind: 'refused', reason: expect.stringContaining('notes') as unknown });
  });

  test('refuses a reviewer that ends its comment, and a file that is no text', () => {
    expect(writeReview(form, { ...NO_REVIEW, reviewer: 'a --> b' }, JUDGED).kind).toBe('refused');
    expect(writeReview(`${form}\0`, REVIEW, JUDGED).kind).toBe('refused');
  });
});

const line = fc.stringMatching(/^[ab 1\-*_:<!/>#\t.é]{0,30}$/);
const word = fc.stringMatching(/^[a-z][a-z-]{0,10}$/);
const points = fc.record({ points: fc.integer({ min: 0, max: 5 }), max: fc.constantFrom(5, 10, 100) });
const review: fc.Arbitrary<Review> = fc.record({
  score: fc.option(points),
  criteria: fc.dictionary(fc.constantFrom('correct', 'tidy'), points, { noNullPrototype: true }),
  gates: fc.dictionary(fc.constant('2'), fc.constantFrom('pass' as const, 'fail' as const), {
    noNullPrototype: true,
  }),
  labels: fc.uniqueArray(
    word.filter((text) => !['none', 'todo', 'tbd'].includes(text)),
    { maxLength: 3 },
  ),
  notes: fc.option(fc.array(line, { maxLength: 4 }).map((lines) => lines.join('\n'))),
  reviewer: fc.option(word),
});
/** Files as people leave them: labels in and out of comments, values, remarks, notes anywhere, any ends of lines. */
const file = fc
  .record({
    above: fc.array(
      line.filter((text) => !text.startsWith('##')),
      { maxLength: 3 },
    ),
    section: fc.array(
      fc.oneof(
        line,
        fc.constantFrom(
          ...['', '<!-- Human Score: __/5 -->', 'Human Score: 4/5 (slow)', '<!-- Human Score: good -->'],
          ...['**Human Score of tidy:** 3', '<!-- Human Verdict on gate 2: pass -->', 'Labels: a, b', '4/5'],
          ...['<!-- Reviewer: Bo -->', '<!-- Further Human Notes: in', 'a comment -->', '<!-- Notes: -->'],
        ),
      ),
      { maxLength: 8 },
    ),
    below: fc.array(
      line.filter((text) => !text.startsWith('##')),
      { maxLength: 2 },
    ),
    end: fc.constantFrom('\n', '\r\n', '\r'),
  })
  .map(({ above, section, below, end }) => [...above, '## Human Review', ...section, '## Links', ...below].join(end));

describe('for any file and review', () => {
  test('what is written is read again, and nothing outside of the section changes', () => {
    fc.assert(
      fc.property(file, review, (text, asked) => {
        const result = writeReview(text, asked, JUDGED);
        if (result.kind === 'refused') return;
        const { score, criteria, gates, labels, reviewer, notes } = parseReview(result.text, JUDGED) ?? NO_REVIEW;
        expect({ score, criteria, gates, labels, reviewer, notes: null }).toEqual({ ...asked, notes: null });
        expect((notes ?? '').replace(/\s+/g, ' ')).toBe((asked.notes ?? '').replace(/\s+/g, ' ').trim());
        expect(outside(result.text)).toEqual(outside(text));
        const ends = new Set(text.match(/\r\n|\r|\n/g));
        expect([...new Set(result.text.match(/\r\n|\r|\n/g))]).toEqual([...ends]);
      }),
      { numRuns: 200 },
    );
  });

  test('plain notes are never refused, and what is read changes nothing when it is written', () => {
    fc.assert(
      fc.property(review, fc.array(word, { maxLength: 5 }), (asked, words) => {
        const plain = { ...asked, notes: words.join('\n') };
        const text = written(form, plain);
        expect(written(text, { ...NO_REVIEW, ...parseReview(text, JUDGED) })).toBe(text);
      }),
    );
    fc.assert(
      fc.property(file, (text) => {
        expect(written(text, { ...NO_REVIEW, ...parseReview(text, JUDGED) })).toBe(text);
      }),
    );
  });
});
