import {
  beginningOf,
  type CommandResult,
  describeEnd,
  isFiniteJson,
  isJsonObject,
  isStorable,
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
    score !== null && (typeof score !== 'number' || score < 0 || score > 1)
      ? 'score is not a number from 0 to 1'
      : '',
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
