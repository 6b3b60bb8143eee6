import { type Called, NO_DENO } from '#agent-scripts';
import { isJsonObject, type Json } from '#lib';
import type { EvaluatorResult } from '#model';

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
