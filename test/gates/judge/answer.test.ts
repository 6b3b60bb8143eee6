import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { answerSchema, findObject, readAnswer, weightedScore } from '../../../src/gates/judge/answer.js';
import type { Rubric } from '../../../src/gates/judge/rubric.js';

const rubric = (change: Partial<Rubric['output']> = {}): Rubric => ({
  criteria: [
    { id: 'right', weight: 0.6, description: 'x' },
    { id: 'tidy', weight: 0.4, description: 'y' },
  ],
  output: { format: 'json', require_fields: [], ...change },
});
const good = { scores: { right: 1, tidy: 0.5 }, confidence: 0.8, issues: ['late'], highlights: [] };
const read = (value: unknown, of = rubric()) => readAnswer(of, JSON.stringify(value));
const problemOf = (value: unknown, of = rubric()): string => {
  const result = read(value, of);
  return result.ok ? 'no problem' : result.problem;
};

describe('findObject', () => {
  const object = { a: '} ``` {', b: { c: 1 } };
  const json = JSON.stringify(object);

  test.each([
    ['alone', json],
    ['with blanks around it', `\n ${json}\n\n`],
    ['in a code fence', `\`\`\`json\n${json}\n\`\`\``],
    ['with words around it', `Here you are: ${json} I hope it helps.`],
    ['after thoughts that look like another object', `<think>maybe {"a": 2}?</think>\n${json}`],
    ['in a fence among words with braces', `I use {x}.\n\`\`\`\n{"b":{"c":1}}\n\`\`\`\nand {y}.`],
  ])('finds an object %s', (_how, text) => {
    expect(findObject(text)).toMatchObject({ b: { c: 1 } });
  });

  test.each([
    ['an empty text', ''],
    ['prose', 'I give it a 0.8'],
    ['a list', '[{"a": 1}]'.replace(/[{}]/g, '')],
    ['two objects', `${json}\n${json}`],
    ['two objects in fences', `\`\`\`json\n{"a":1}\n\`\`\`\n\`\`\`json\n{"a":2}\n\`\`\``],
    ['half an object', json.slice(0, -1)],
    ['an object nested too deep to be stored', `{"a":${'['.repeat(600)}${']'.repeat(600)}}`],
  ])('finds no object in %s', (_what, text) => {
    expect(findObject(text)).toBeNull();
  });

  // In quadratic time it would exceed the time limit of a test.
  test('takes linear time for long texts of braces', () => {
    for (const text of ['{'.repeat(1e6), '```\n{'.repeat(2e5), '<think>'.repeat(1e5)])
      expect(findObject(text)).toBeNull();
  });
});

describe('readAnswer', () => {
  test('keeps the requested fields and leaves out others', () => {
    expect(read({ ...good, weighted_score: 7, mood: 'fine' })).toEqual({
      ok: true,
      answer: { ...good, fields: {} },
    });
  });

  test('requires each criterion of the rubric, and no others', () => {
    expect(problemOf({ ...good, scores: { right: 1 } })).toBe('scores.tidy: expected a number from 0 to 1');
    expect(problemOf({ ...good, scores: { right: 1, tidy: 1, neat: 1 } })).toBe('scores: the rubric has no neat');
    expect(problemOf({ ...good, scores: [1, 1] })).toMatch(/^scores: expected an object/);
  });

  test.each([1.01, -0.1, '1', null, true, [1], 1e999])('refuses a score of %j', (score) => {
    expect(problemOf({ ...good, scores: { right: score, tidy: 1 } })).toMatch(/^scores\.right: /);
    expect(problemOf({ ...good, confidence: score })).toMatch(/^confidence: /);
  });

  test('requires lists of texts as issues and highlights', () => {
    expect(problemOf({ ...good, issues: 'late', highlights: [1] })).toBe(
      'issues: expected a list of texts; highlights: expected a list of texts',
    );
  });

  test('requires every field that the rubric requires, in any form', () => {
    const of = rubric({ require_fields: ['scores', 'weighted_score', 'summary', 'summary', 'next'] });
    expect(problemOf({ ...good, next: null }, of)).toBe(
      'summary: is required by the rubric; next: is required by the rubric',
    );
    expect(read({ ...good, summary: 'fine', next: [1] }, of)).toMatchObject({
      ok: true,
      answer: { fields: { summary: 'fine', next: [1] } },
    });
  });

  test('does not take inherited properties of objects for answers', () => {
    const of = rubric({ require_fields: ['constructor'] });
    of.criteria = [{ id: 'toString', weight: 1, description: 'x' }];
    expect(problemOf({ ...good, scores: {} }, of)).toMatch(/scores\.toString.*constructor: is required/);
  });

  test('for any text of a model, the answer is within its bounds or refused', () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    const score = fc.oneof(share, fc.double(), fc.integer({ min: -1, max: 2 }), fc.string());
    const texts = fc.array(fc.string());
    const scores = fc.record({ right: share, tidy: share });
    const anyText = fc.oneof(
      fc.json(),
      fc.string(),
      // Random texts are too rarely usable.
      fc
        .record({ scores, confidence: share, issues: texts, highlights: texts, summary: fc.string() })
        .map((value) => JSON.stringify(value)),
      fc
        .record(
          {
            scores: fc.record({ right: score, tidy: score }, { requiredKeys: [] }),
            confidence: score,
            issues: fc.oneof(fc.array(fc.string()), fc.anything()),
            highlights: fc.array(fc.string()),
          },
          { requiredKeys: [] },
        )
        .map((value) => JSON.stringify(value)),
    );
    const within = (value: number | undefined): boolean => value !== undefined && value >= 0 && value <= 1;
    let usable = 0;
    fc.assert(
      fc.property(anyText, (text) => {
        const result = readAnswer(rubric(), text);
        if (!result.ok) expect(result.problem).not.toBe('');
        else {
          usable += 1;
          const { scores, confidence } = result.answer;
          expect(Object.keys(scores)).toEqual(['right', 'tidy']);
          expect([scores['right'], scores['tidy'], confidence].every(within)).toBe(true);
          expect(within(weightedScore(rubric(), scores))).toBe(true);
        }
      }),
      { numRuns: 3000 },
    );
    expect(usable).toBeGreaterThan(0);
  });
});

describe('weightedScore', () => {
  const of = (...weights: number[]): Rubric => ({
    ...rubric(),
    criteria: weights.map((weight, at) => ({ id: `c${at}`, weight, description: 'x' })),
  });

  test('uses the weights of the rubric', () => {
    expect(weightedScore(rubric(), { right: 1, tidy: 0.5 })).toBe(0.8);
  });
  test('is 1 for a perfect run, even if the weights sum to slightly less or more', () => {
    expect(weightedScore(of(0.33, 0.33, 0.33), { c0: 1, c1: 1, c2: 1 })).toBe(1);
    expect(weightedScore(of(0.51, 0.5), { c0: 1, c1: 1 })).toBe(1);
  });
  test('does not fall below a threshold because of a rounding error', () => {
    expect(weightedScore(of(0.1, 0.2, 0.7), { c0: 1, c1: 1, c2: 0 })).toBe(0.3);
  });
});

test('the schema asks for evidence before scores, and for all required fields', () => {
  const schema = answerSchema(rubric({ require_fields: ['summary', 'issues'] }));
  expect(Object.keys(schema['properties'] as object)).toEqual([
    ...['issues', 'highlights', 'summary', 'scores', 'confidence'],
  ]);
  expect(schema['required']).toEqual(['issues', 'highlights', 'summary', 'scores', 'confidence']);
  expect(JSON.stringify(schema)).not.toMatch(/minimum|maximum/);
});

test('the schema allows no fields and no scores that were not asked for', () => {
  const number = { type: 'number' };
  expect(answerSchema(rubric())).toMatchObject({
    additionalProperties: false,
    properties: {
      scores: {
        properties: { right: number, tidy: number },
        required: ['right', 'tidy'],
        additionalProperties: false,
      },
    },
  });
});
