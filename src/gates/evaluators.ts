import { type Called, NO_DENO } from '#agent-scripts';
import {
  beginningOf,
  type CommandResult,
  describeEnd,
  isFiniteJson,
  isJsonObject,
  isStorable,
  type Json,
  MAX_DEPTH,
  parseJson,
} from '#lib';
import type { EvaluatorResult } from '#model';

const nothing = { metrics: null, score: null, summary: null };

/**
 * Reads the stdout of an evaluator script: a JSON object with optional `metrics`, `score` (0..1) and `summary`. Any
 * problem becomes the evaluator's `error` and never changes the outcome (specs/reference/evaluation.md).
 */
export function readEvaluator(name: string, result: CommandResult, timeoutSecs: number): EvaluatorResult {
  if (result.timedOut) return { name, ...nothing, error: `timed out after ${timeoutSecs} s` };
  if (result.exitCode !== 0) {
    const reason = beginningOf(result.stderr.trim(), 500);
    return {
      name,
      ...nothing,
      error: `${describeEnd(result, timeoutSecs)}${reason === '' ? '' : `: ${reason}`}`,
    };
  }
  const text = result.stdout.trim();
  const parsed = parseJson(text);
  if (!isJsonObject(parsed)) {
    return { name, ...nothing, summary: beginningOf(text, 2000), error: 'stdout is not a JSON object' };
  }
  const { metrics = null, score = null, summary = null } = parsed;
  const problems = [
    score !== null && (typeof score !== 'number' || score < 0 || score > 1) ? 'score is not a number from 0 to 1' : '',
    isStorable(metrics) ? '' : `metrics are nested more than ${MAX_DEPTH} deep`,
    isFiniteJson(metrics) ? '' : 'metrics have a number that is too large',
    summary !== null && typeof summary !== 'string' ? 'summary is not a string' : '',
  ].filter((problem) => problem !== '');
  return {
    name,
    metrics: isStorable(metrics) && isFiniteJson(metrics) ? metrics : null,
    score: problems.length === 0 && typeof score === 'number' ? score : null,
    summary: typeof summary === 'string' ? summary : null,
    error: problems.length === 0 ? null : problems.join('; '),
  };
}

/**
 * Converts an agent script's answer to an evaluator result. Its data become the metrics. `score` (a number from 0 to 1)
 * and `summary` (a text) in the data become those of the evaluator. Other values of these are ignored: the script was
 * written for agents, and may use these names for something else.
 */
export function readScriptEvaluator(name: string, called: Called): EvaluatorResult {
  const failed = (error: string): EvaluatorResult => ({
    name,
    metrics: null,
    score: null,
    summary: null,
    error,
  });
  if (called.kind === 'no_deno') return failed(NO_DENO);
  if (called.kind === 'broken') return failed(called.problem);
  const { answer } = called;
  if (!answer.success) return failed(`${answer.code}: ${answer.error}`);
  const { data } = answer;
  const { score = null, summary = null } = isJsonObject(data) ? data : {};
  return {
    name,
    metrics: data,
    score: isScore(score) ? score : null,
    summary: typeof summary === 'string' ? summary : null,
    error: null,
  };
}

const isScore = (value: Json): value is number => typeof value === 'number' && value >= 0 && value <= 1;
