import { isJsonObject, parseJson } from '#lib';
import type { ResultLine } from '#model';
import { parseResult } from '../results-log.js';

/** The reason why a run was given up. */
export type Lost = { host: string; at: string } | { round: number; at: string };

/**
 * The content of an object of a run: its result, or that the run was given up, so that a late result does not count.
 */
export type RunEnd = { kind: 'result'; line: ResultLine; text: string } | { kind: 'lost' };

export const lostText = (lost: Lost): string => JSON.stringify({ lost });

/** @throws Error if the object is damaged */
export function parseRunEnd(object: string, data: Buffer): RunEnd {
  const text = data.toString();
  const json = parseJson(text);
  if (isJsonObject(json) && 'lost' in json) return { kind: 'lost' };
  const line = parseResult(text);
  if (typeof line === 'string') throw new Error(`${object} is damaged: ${line}`);
  return { kind: 'result', line, text };
}
