import type { Call } from './call.js';
import {
  evaluateMatcherTemplate,
  hasPlaceholders,
  matcherTemplateProblem,
  namesCall,
} from './matcher-template.js';

/** Evaluates the expression of a matcher for a call. @throws whatever the expression throws */
export type EvaluateMatcher = (expression: string, call: Call) => boolean;

/** The names that an expression can use. */
const MATCHER_NAMES = ['args', 'input', 'context'] as const;

/** A text that is a function of JavaScript, which would match every call. */
export const IS_FUNCTION = /^\s*(async\b|function\b|(\w+|\([^()]*\))\s*=>)/;

/** The reason why a text is neither one JavaScript expression nor a template; null if it is. Nothing is run. */
export const matcherProblem = (text: string): string | null =>
  isTemplate(text) ? matcherTemplateProblem(text) : expressionProblem(text);

/** An expression of JavaScript can contain `${` in a text, with which it compares a part of the call. */
const isTemplate = (text: string): boolean =>
  hasPlaceholders(text) && (!namesCall(text) || expressionProblem(text) !== null);

function expressionProblem(expression: string): string | null {
  if (IS_FUNCTION.test(expression))
    return `expected a JavaScript expression with ${MATCHER_NAMES.join(', ')}, not a function`;
  try {
    // A text that closes one kind of bracket and opens it again fails with the other kind.
    for (const [open, close] of ['()', '[]']) compile(`${open}${expression}\n${close}`);
    return null;
  } catch (error) {
    return `expected a JavaScript expression with ${MATCHER_NAMES.join(', ')}: ${(error as Error).message}`;
  }
}

/**
 * Evaluates an expression in this process, without any protection. The process must be one that may run the code of the
 * scenario: the mocked command itself, or the child process of an agent.
 */
export const evaluateMatcher: EvaluateMatcher = (expression, call) =>
  isTemplate(expression)
    ? evaluateMatcherTemplate(expression, call)
    : Boolean(compile(`(${expression}\n)`)(...copyOf([call.args, call.input, call.context])));

// The expression is code of the scenario's author, and running it is what a matcher is for.
const compile = (code: string): ((...values: unknown[]) => unknown) =>
  // eslint-disable-next-line @typescript-eslint/no-implied-eval
  new Function(...MATCHER_NAMES, `'use strict'; return ${code};`) as (...values: unknown[]) => unknown;

/** An expression that changes its arguments must not change the call. */
const copyOf = (values: unknown[]): unknown[] => JSON.parse(JSON.stringify(values)) as unknown[];
