import type { Json } from '#lib';
import type { Call } from './call.js';
import { placeholderProblems, type Placeholders, STEPS_INTO, valueOf } from './template.js';

/*
 * A matcher as the ElizaOS scenario runner reads it: `${input.type} === 'test'`. Nothing of it is run, and a value
 * cannot change the comparison.
 */

const PLACEHOLDER = /\$\{([^}]*)\}/g;
const PLACEHOLDERS: Placeholders = {
  known: new RegExp(String.raw`^\s*(args|input|context)${STEPS_INTO}\s*$`),
  examples: ['args[0]', 'input.name', 'context.action'],
};

const COMPARISON = /^(.+?)(===|!==|==|!=|>=|<=|>|<)(.+)$/s;
type Operator = '===' | '!==' | '==' | '!=' | '>=' | '<=' | '>' | '<';

/** True if a text has placeholders that are not part of a template literal of JavaScript, which has backticks. */
const hasPlaceholders = (text: string): boolean => text.includes('${') && !text.includes('`');

/** True if a text names a part of the call in another way than by a placeholder. */
const namesCall = (text: string): boolean => /\b(args|input|context)\b/.test(text.replaceAll(PLACEHOLDER, ''));

/** The reason why a template cannot decide; null if it can. */
function matcherTemplateProblem(text: string): string | null {
  const [unknown] = placeholderProblems(text, PLACEHOLDERS);
  if (unknown !== undefined) return `expected a comparison: ${unknown}`;
  const { left, right } = partsOf(text.replaceAll(PLACEHOLDER, '_'));
  return [left, right ?? ''].some((side) => /&&|\|\||[=!<>]/.test(side))
    ? "expected one comparison, like ${input.type} === 'test'; for more, write a JavaScript expression without ${}, like input.type === 'test' && args.length > 1"
    : null;
}

/** True if the comparison holds; without one, whether the text is neither empty nor `false` nor `0`. */
function evaluateMatcherTemplate(text: string, call: Call): boolean {
  const names: string[] = [];
  // A value could contain an operator, so the text is split before values are filled in.
  const marked = text.replaceAll(PLACEHOLDER, (_, name: string) => `\${${names.push(name.trim()) - 1}}`);
  const { left, operator, right } = partsOf(marked);
  const fill = (side: string, missing: string): string =>
    side
      .trim()
      .replace(/^(['"])(.*)\1$/s, '$2')
      .replaceAll(PLACEHOLDER, (_, index: string) => textOf(valueOf(names[Number(index)] ?? '', call), missing));
  if (operator === null) return !['', 'false', '0'].includes(fill(left, ''));
  return compare(fill(left, 'undefined'), operator, fill(right, 'undefined'));
}

type Parts = { left: string; operator: Operator; right: string } | { left: string; operator: null; right: null };

function partsOf(text: string): Parts {
  const [, left = text, operator = null, right = ''] = COMPARISON.exec(text) ?? [];
  return operator === null ? { left, operator, right: null } : { left, operator: operator as Operator, right };
}

const textOf = (value: Json | undefined, missing: string): string =>
  value === undefined ? missing : typeof value === 'string' ? value : JSON.stringify(value);

const isNumber = (text: string): boolean => text.trim() !== '' && Number.isFinite(Number(text));

/** Compares numbers if both are numbers, else texts; a text is neither greater nor less than anything. */
function compare(left: string, operator: Operator, right: string): boolean {
  const areNumbers = isNumber(left) && isNumber(right);
  const isEqual = areNumbers ? Number(left) === Number(right) : left === right;
  switch (operator) {
    case '===':
    case '==':
      return isEqual;
    case '!==':
    case '!=':
      return !isEqual;
    case '>=':
      return areNumbers && Number(left) >= Number(right);
    case '<=':
      return areNumbers && Number(left) <= Number(right);
    case '>':
      return areNumbers && Number(left) > Number(right);
    case '<':
      return areNumbers && Number(left) < Number(right);
  }
}

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
