import { runInNewContext } from 'node:vm';
import type { EvaluateMatcher } from './matcher.js';

/** A matcher that takes longer is taken to be in an endless loop. */
const MATCHER_MS = 1000;

/**
 * Evaluates a matcher with a time limit and its own global object, so that it cannot stop or change the server. This is
 * no sandbox: scenarios that need one cannot have matchers of endpoints.
 */
export const isolatedMatcher: EvaluateMatcher = (expression, { args, input, context }) => {
  const globals = Object.assign(Object.create(null) as object, {
    call: JSON.stringify({ args, input, context }),
  });
  const code = `'use strict'; (({ args, input, context }) => Boolean(${expression}\n))(JSON.parse(call))`;
  return runInNewContext(code, globals, { timeout: MATCHER_MS }) === true;
};
