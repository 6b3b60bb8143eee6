import { isJsonObject, isStorable, type Json, parseJson } from '#lib';
import { z } from 'zod';
import type { Rubric } from './rubric.js';

/** A model's thoughts before its answer, which some servers leave in the text. */
const THOUGHTS = /^\s*<think>[^]*?<\/think>/;
/** No sensible answer has more code blocks than this. */
const MAX_BLOCKS = 50;
const FENCED = /```[\w-]*[^\S\n]*\n([^]*?)```/g;

/**
 * Finds the one JSON object in a model's answer: alone, in a code fence, or with words around it. Returns null if there
 * is none, or if it is unclear which of several is meant.
 */
export function findObject(answer: string): { [key: string]: Json } | null {
  const text = answer.replace(THOUGHTS, '');
  const whole = objectIn(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1));
  if (whole !== null) return whole;
  const blocks = [...text.matchAll(FENCED)];
  if (blocks.length > MAX_BLOCKS) return null;
  const [only, ...more] = blocks.map(([, block = '']) => objectIn(block)).filter((found) => found !== null);
  return more.length === 0 ? (only ?? null) : null;
}

function objectIn(text: string): { [key: string]: Json } | null {
  const value = parseJson(text);
  return isJsonObject(value) && isStorable(value) ? value : null;
}

/** The content of a valid answer of the judge. */
export interface JudgeScores {
  scores: Record<string, number>;
  confidence: number;
  issues: string[];
  highlights: string[];
  fields: Record<string, Json>;
}

type ReadAnswer = { ok: true; answer: JudgeScores } | { ok: false; problem: string };

/** Fields that every answer has, whether or not the rubric requires them. `weighted_score` is computed here. */
const STANDARD = ['scores', 'weighted_score', 'confidence', 'issues', 'highlights'];

/** The fields that a rubric requires in addition to those that every answer has. */
export const extraFields = ({ output }: Rubric): string[] =>
  [...new Set(output.require_fields)].filter((name) => !STANDARD.includes(name));

const share = z.number().min(0).max(1);
const texts = z.array(z.string());

/**
 * Parses a model's answer. It must have what was asked for, because a made-up score could decide a run: a number from 0
 * to 1 for each of the rubric's criteria and for no others, lists of texts, and all required fields. Other fields are
 * ignored.
 */
export function readAnswer(rubric: Rubric, text: string): ReadAnswer {
  if (text.trim() === '') return { ok: false, problem: 'the answer is empty' };
  const found = findObject(text);
  if (found === null) return { ok: false, problem: 'the answer is not exactly one JSON object' };
  const ids = rubric.criteria.map(({ id }) => id);
  const problems: string[] = [];
  const part = <T>(name: string, schema: z.ZodType<T>, expected: string): T | undefined => {
    const parsed = schema.safeParse(own(found, name));
    if (!parsed.success) problems.push(`${name}: expected ${expected}`);
    return parsed.data;
  };
  const scores = readScores(own(found, 'scores'), ids, problems);
  const confidence = part('confidence', share, 'a number from 0 to 1');
  const issues = part('issues', texts, 'a list of texts');
  const highlights = part('highlights', texts, 'a list of texts');
  const fields = extraFields(rubric).map((name): [string, Json] => {
    const value = own(found, name);
    if (value === undefined || value === null) problems.push(`${name}: is required by the rubric`);
    return [name, value ?? null];
  });
  if (problems.length > 0 || confidence === undefined || issues === undefined || highlights === undefined) {
    return { ok: false, problem: problems.join('; ') };
  }
  return {
    ok: true,
    answer: { scores, confidence, issues, highlights, fields: Object.fromEntries(fields) },
  };
}

function readScores(value: Json | undefined, ids: string[], problems: string[]): Record<string, number> {
  if (!isJsonObject(value)) {
    problems.push('scores: expected an object with a number for each criterion');
    return {};
  }
  const unknown = Object.keys(value).filter((id) => !ids.includes(id));
  if (unknown.length > 0) problems.push(`scores: the rubric has no ${unknown.join(', ')}`);
  return Object.fromEntries(
    ids.map((id) => {
      const score = share.safeParse(own(value, id));
      if (!score.success) problems.push(`scores.${id}: expected a number from 0 to 1`);
      return [id, score.data ?? 0];
    }),
  );
}

const own = (object: Record<string, Json>, name: string): Json | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined;

/**
 * The mean of the scores by the rubric's weights, 0..1. It is divided by the sum of the weights, so that a perfect run
 * scores 1 even if they sum to 0.99.
 */
export function weightedScore(rubric: Rubric, scores: Record<string, number>): number {
  const total = rubric.criteria.reduce((sum, { weight }) => sum + weight, 0);
  const sum = rubric.criteria.reduce((sum, { id, weight }) => sum + weight * (scores[id] ?? 0), 0);
  // Rounded, so that 0.1 + 0.2 reaches a threshold of 0.3.
  return Math.round((sum / total) * 1e6) / 1e6;
}

/**
 * The JSON schema for the provider's structured output. Evidence comes before scores, because a model writes the fields
 * in order and should look before it scores. It has no limits for numbers, because not every provider accepts them:
 * `readAnswer` checks those.
 */
export function answerSchema(rubric: Rubric): Record<string, Json> {
  const properties: Record<string, Json> = {
    issues: { type: 'array', items: { type: 'string' } },
    highlights: { type: 'array', items: { type: 'string' } },
    ...Object.fromEntries(extraFields(rubric).map((name) => [name, { type: 'string' }])),
    scores: object(Object.fromEntries(rubric.criteria.map(({ id }) => [id, { type: 'number' }]))),
    confidence: { type: 'number' },
  };
  return object(properties);
}

const object = (properties: Record<string, Json>): Record<string, Json> => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});
