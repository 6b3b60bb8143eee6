import type { Json } from '#lib';
import type { Call } from './call.js';
import { placeholderProblems, STEPS_INTO, valueOf, type Placeholders } from './template.js';

/*
 * A matcher as the ElizaOS scenario runner reads it: `${input.type} === 'test'`. Nothing of it is run, and a value cannot
 * change the comparison.
 */

const PLACEHOLDER = /\$\{([^}]*)\}/g;
const PLACEHOLDERS: Placeholders = {
  known: new RegExp(String.raw`^\s*(args|input|context)${STEPS_INTO}\s*$`),
  examples: ['args[0]', 'input.name', 'context.action'],
};

const COMPARISON = /^(.+?)(===|!==|==|!=|>=|<=|>|<)(.+)$/s;
type Operator = '===' | '!==' | '==' | '!=' | '>=' | '<=' | '>' | '<';

/** True if a text has placeholders that are not part of a template literal of JavaScript, which has backticks. */
export const hasPlaceholders = (text: string): boolean => text.includes('${') && !text.includes('`');

/** True if a text names a part of the call in another way than by a placeholder. */
export const namesCall = (text: string): boolean =>
  /\b(args|input|context)\b/.test(text.replaceAll(PLACEHOLDER, ''));

/** The reason why a template cannot decide; null if it can. */
export function matcherTemplateProblem(text: string): string | null {
  const [unknown] = placeholderProblems(text, PLACEHOLDERS);
  if (unknown !== undefined) return `expected a comparison: ${unknown}`;
  const { left, right } = partsOf(text.replaceAll(PLACEHOLDER, '_'));
  return [left, right ?? ''].some((side) => /&&|\|\||[=!<>]/.test(side))
    ? "expected one comparison, like ${input.type} === 'test'; for more, write a JavaScript expression without ${}, like input.type === 'test' && args.length > 1"
    : null;
}

/** True if the comparison holds; without one, whether the text is neither empty nor `false` nor `0`. */
export function evaluateMatcherTemplate(text: string, call: Call): boolean {
  const names: string[] = [];
  // A value could contain an operator, so the text is split before values are filled in.
  const marked = text.replaceAll(PLACEHOLDER, (_, name: string) => `\${${names.push(name.trim()) - 1}}`);
  const { left, operator, right } = partsOf(marked);
  const fill = (side: string, missing: string): string =>
    side
      .trim()
      .replace(/^(['"])(.*)\1$/s, '$2')
      .replaceAll(PLACEHOLDER, (_, index: string) =>
        textOf(valueOf(names[Number(index)] ?? '', call), missing),
      );
  if (operator === null) return !['', 'false', '0'].includes(fill(left, ''));
  return compare(fill(left, 'undefined'), operator, fill(right, 'undefined'));
}

type Parts =
  { left: string; operator: Operator; right: string } | { left: string; operator: null; right: null };

function partsOf(text: string): Parts {
  const [, left = text, operator = null, right = ''] = COMPARISON.exec(text) ?? [];
  return operator === null
    ? { left, operator, right: null }
    : { left, operator: operator as Operator, right };
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
