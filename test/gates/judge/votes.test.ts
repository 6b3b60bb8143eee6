import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { combineVotes } from '../../../src/gates/judge/votes.js';
import type { JudgeScores } from '../../../src/gates/judge/answer.js';
import type { Rubric } from '../../../src/gates/judge/rubric.js';

const rubric: Rubric = {
  criteria: [
    { id: 'a', weight: 0.75, description: 'x' },
    { id: 'b', weight: 0.25, description: 'y' },
  ],
  output: { format: 'json', require_fields: ['summary'] },
};
const vote = (a: number, b = a, more: Partial<JudgeScores> = {}): JudgeScores => ({
  scores: { a, b },
  confidence: 0.5,
  issues: [],
  highlights: [],
  fields: { summary: `${a}` },
  ...more,
});

describe('the votes of a judge', () => {
  test('a single vote is the judgment, without a spread', () => {
    const only = vote(0.8, 0.4, { issues: ['i'], highlights: ['h'] });
    expect(combineVotes(rubric, [only])).toEqual({
      ...only,
      weighted_score: 0.7,
      votes: [0.7],
      spread: null,
    });
  });

  test('several votes give the mean of each criterion, of the score and of the confidence', () => {
    const combined = combineVotes(rubric, [vote(1, 0, { confidence: 1 }), vote(0.5), vote(0, 1, { confidence: 0.6 })]);
    expect(combined).toMatchObject({
      scores: { a: 0.5, b: 0.5 },
      weighted_score: 0.5,
      votes: [0.75, 0.5, 0.25],
      confidence: 0.7,
    });
  });

  test('the spread consists of the range and the standard deviation of the sample', () => {
    expect(combineVotes(rubric, [vote(0.4), vote(0.8), vote(0.9)]).spread).toEqual({
      range: 0.5,
      deviation: 0.264575,
    });
    expect(combineVotes(rubric, [vote(0.4), vote(0.4)]).spread).toEqual({ range: 0, deviation: 0 });
  });

  test('all issues and highlights are kept, each once', () => {
    const votes = [vote(1, 1, { issues: ['x', 'y'] }), vote(1, 1, { issues: ['y', 'z'], highlights: ['h'] })];
    expect(combineVotes(rubric, votes)).toMatchObject({ issues: ['x', 'y', 'z'], highlights: ['h'] });
  });

  test('the required fields come from the vote nearest to the mean', () => {
    expect(combineVotes(rubric, [vote(0), vote(0.6), vote(1)]).fields).toEqual({ summary: '0.6' });
  });

  test('any number of equal votes gives their score', () => {
    const shares = fc.integer({ min: 0, max: 100 }).map((percent) => percent / 100);
    fc.assert(
      fc.property(shares, fc.integer({ min: 1, max: 9 }), (score, count) => {
        const combined = combineVotes(
          rubric,
          Array.from({ length: count }, () => vote(score)),
        );
        expect(combined.weighted_score).toBe(score);
        expect(combined.votes).toEqual(Array.from({ length: count }, () => score));
      }),
    );
  });
});
