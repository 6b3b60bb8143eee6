import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { looksLikeScore, parseScore } from '../../../src/model/review/parse-score.js';

describe('parseScore', () => {
  test.each<[string, number, number, string]>([
    ['4/5', 4, 5, ''],
    ['4 / 5', 4, 5, ''],
    ['4', 4, 5, ''],
    ['0', 0, 5, ''],
    ['4.5/5', 4.5, 5, ''],
    ['3,5/5', 3.5, 5, ''],
    ['8/10', 8, 10, ''],
    ['8 out of 10', 8, 10, ''],
    ['8 of 10', 8, 10, ''],
    ['80%', 80, 100, ''],
    ['80 %', 80, 100, ''],
    ['0.8/1', 0.8, 1, ''],
    ['__4__/5', 4, 5, ''],
    ['4_/5', 4, 5, ''],
    ['_4/5', 4, 5, ''],
    ['**4/5**', 4, 5, ''],
    ['`4/5`', 4, 5, ''],
    ['４／５', 4, 5, ''],
    ['4/5.', 4, 5, ''],
    ['4 stars', 4, 5, ''],
    ['4/5 points', 4, 5, ''],
    ['4/5 (too slow)', 4, 5, '(too slow)'],
    ['4/5, too slow', 4, 5, 'too slow'],
    ['4/5 - too slow', 4, 5, 'too slow'],
  ])('reads %s', (text, points, max, remark) => {
    expect(parseScore(text)).toEqual({ kind: 'score', points, max, remark });
  });

  test.each(['', '__/5', '_/5', '/5', ' / 10', '__', '-', '—', '?', '?/5', '...', 'n/a', 'N/A', 'none', 'TODO'])(
    "takes '%s' as no score",
    (text) => {
      expect(parseScore(text)).toEqual({ kind: 'none' });
    },
  );

  test.each([
    ['four', "'four' is not a score"],
    ['good', "'good' is not a score"],
    ['4-5', "'4-5' is not a score"],
    ['4 or 5', "'4 or 5' is not a score"],
    ['4/5 or 3/5', 'is not a score'],
    ['4/5, was 3/5', 'is not a score'],
    ['4/5/2026', 'is not a score'],
    ['4/5th', 'is not a score'],
    ['4 out of ten', 'is not a score'],
    ['4½/5', 'is not a score'],
    ['-1/5', 'is not a score'],
    ['1,000/1000', 'is not a score'],
    ['80%/5', 'is not a score'],
    ['99999', 'is not a score'],
    ['9', '9 is more than the maximum of 5'],
    ['6/5', '6 is more than the maximum of 5'],
    ['120%', '120 is more than the maximum of 100'],
    ['4/0', 'a score cannot be out of 0'],
    ['0.8', 'the maximum of 0.8 is unclear; write 0.8/1 or 0.8/5'],
  ])('refuses %s, and says what to write', (text, reason) => {
    const parsed = parseScore(text);
    expect(parsed.kind).toBe('unreadable');
    expect(parsed).toMatchObject({ reason: expect.stringContaining(reason) as string });
    expect(parsed).toMatchObject({ reason: expect.stringMatching(/\d\/\d/) as string });
  });

  test('cuts what it quotes, with an ellipsis, in which redaction finds cut secrets', () => {
    expect(parseScore('x'.repeat(100))).toMatchObject({ reason: expect.stringContaining('x…') as string });
  });

  const blanks = fc.constantFrom('', ' ', '\t', '  ');
  const number = fc.tuple(fc.nat(9999), fc.constantFrom('', '.5', '.25', ',5')).map((parts) => parts.join(''));
  const valueOf = (text: string): number => Number(text.replace(',', '.'));

  test('reads every score within its maximum, and refuses every other one', () => {
    fc.assert(
      fc.property(number, number, blanks, blanks, (points, max, before, after) => {
        const parsed = parseScore(`${points}${before}/${after}${max}`);
        const isScore = valueOf(max) > 0 && valueOf(points) <= valueOf(max);
        expect(parsed).toMatchObject(
          isScore ? { kind: 'score', points: valueOf(points), max: valueOf(max), remark: '' } : { kind: 'unreadable' },
        );
      }),
    );
  });

  test('never gives a score that is not between 0 and its maximum, whatever is written', () => {
    const hostile = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom(...Array.from('0123456789.,/%_*- of')) }),
    );
    fc.assert(
      fc.property(hostile, (text) => {
        const parsed = parseScore(text);
        if (parsed.kind !== 'score') return;
        expect(parsed.points).toBeGreaterThanOrEqual(0);
        expect(parsed.points).toBeLessThanOrEqual(parsed.max);
        expect(parsed.max).toBeGreaterThan(0);
      }),
    );
  });

  test('knows a line that can only be a score', () => {
    for (const text of ['4', '4/5', '**4/5**', '9/5', '80%', '8 out of 10', '-1/5'])
      expect(looksLikeScore(text), text).toBe(true);
    for (const text of ['3 files', 'good', '', '4/5 of the files']) expect(looksLikeScore(text), text).toBe(false);
  });
});
