import { compilePattern, parseJson } from '#lib';
import type { GateWork, WorkInput, WorkResult } from './gate.js';
import { applyAssertion, parseAssertion } from './json/json-assertion.js';
import { compileJsonPath } from './json/json-path.js';

type Work = { [K in keyof GateWork]: (input: WorkInput<K>) => WorkResult<K> };

/** Implements each kind of work. Patterns, paths and assertions come from a scenario that was validated. */
const work: Work = {
  matches: ({ pattern, texts, whole }) => {
    const compiled = usable(compilePattern(pattern));
    return texts.map(whole ? compiled.testWhole : compiled.test);
  },
  holds: ({ path, assertion, json }) => {
    const value = parseJson(json);
    const found = value === undefined ? undefined : usable(compileJsonPath(path)).find(value);
    return applyAssertion(usable(parseAssertion(assertion)).assertion, found);
  },
};

function usable<T extends { ok: true }>(compiled: T | { ok: false; message: string }): T {
  if (compiled.ok) return compiled;
  throw new Error(compiled.message);
}

/** Performs a piece of work on this thread. Throws if a pattern, path or assertion is invalid. */
export const doWork = <K extends keyof GateWork>(kind: K, input: WorkInput<K>): WorkResult<K> =>
  (work[kind] as (input: WorkInput<K>) => WorkResult<K>)(input);

/** In characters. Inputs up to this length take a few milliseconds, which is less than starting a thread takes. */
const QUICK_LENGTH = 32 * 1024;

/** True if a piece of work surely takes only milliseconds, even if an agent crafted the input. */
export function isQuick(input: WorkInput<keyof GateWork>): boolean {
  if ('texts' in input) return input.texts.reduce((sum, { length }) => sum + length, 0) <= QUICK_LENGTH;
  const path = compileJsonPath(input.path);
  // Filters and `..` can be slow even for small inputs, and regular expressions in filters can run forever.
  return input.json.length <= QUICK_LENGTH && path.ok && path.singular;
}
