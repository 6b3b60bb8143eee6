import { parseJson } from '../lib/json.js';
import { compilePattern } from '../lib/pattern.js';
import type { GateWork, WorkInput, WorkResult } from './gate.js';
import { applyAssertion, parseAssertion } from './json/json-assertion.js';
import { compileJsonPath } from './json/compile-json-path.js';

type Work = { [K in keyof GateWork]: (input: WorkInput<K>) => WorkResult<K> };

/** How it is done. Patterns, paths and assertions are those of a scenario that was validated. */
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

/** Does a piece of work here and now. */
export const doWork = <K extends keyof GateWork>(kind: K, input: WorkInput<K>): WorkResult<K> =>
  (work[kind] as (input: WorkInput<K>) => WorkResult<K>)(input);

/** What takes a few milliseconds at most: to start a thread takes longer. */
const QUICK_LENGTH = 32 * 1024;

/** Whether a piece of work is over in moments, whatever an agent has made of the input. */
export function isQuick(input: WorkInput<keyof GateWork>): boolean {
  if ('texts' in input) return input.texts.reduce((sum, { length }) => sum + length, 0) <= QUICK_LENGTH;
  const path = compileJsonPath(input.path);
  // Filters and `..` may take long with little input; regular expressions in filters for ever.
  return input.json.length <= QUICK_LENGTH && path.ok && path.singular;
}
