import { assertNever, compilePattern, isJsonObject, type Json, parseJson, suggest } from '#lib';
import { jsonKindOf, printed, quotedText } from '../verdicts.js';

/** True if two JSON values are equal. 3 equals 3.0; the order of keys does not matter; types must be the same. */
function jsonEqual(a: Json | undefined, b: Json | undefined): boolean {
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => jsonEqual(item, b[index]));
  }
  if (isJsonObject(a) && isJsonObject(b)) {
    const keys = Object.keys(a);
    return (
      keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && jsonEqual(a[key], b[key]))
    );
  }
  return a === b;
}

const comparisons = {
  '==': (a: number, b: number) => a === b,
  '!=': (a: number, b: number) => a !== b,
  '>=': (a: number, b: number) => a >= b,
  '<=': (a: number, b: number) => a <= b,
  '>': (a: number, b: number) => a > b,
  '<': (a: number, b: number) => a < b,
};
type Operator = keyof typeof comparisons;

/** A condition on the value that a JSON path finds. */
type Assertion =
  | { kind: 'exists' }
  | { kind: 'equals'; value: Json }
  | { kind: 'contains'; substring: string }
  | { kind: 'length'; operator: Operator; length: number }
  | { kind: 'number'; operator: Operator; number: number }
  | { kind: 'matches'; pattern: string; test: (text: string) => boolean };

type ParsedAssertion = { ok: true; assertion: Assertion } | { ok: false; message: string };

const FORMS = 'exists, equals V, contains S, len OP N, OP N or matches RE, where OP is == != > >= < or <=';

const invalid = (message: string): ParsedAssertion => ({ ok: false, message });
const parsed = (assertion: Assertion): ParsedAssertion => ({ ok: true, assertion });

/** True for numbers that may have been rounded by the JSON parser. Different ones could compare as equal. */
const isInexact = (number: number): boolean => Math.abs(number) > Number.MAX_SAFE_INTEGER;

const inexactText = (number: number): string =>
  `${number} exceeds ${Number.MAX_SAFE_INTEGER}, above which numbers are not exact; compare the text (command_output_contains), or use < or >`;

/** The first inexact number in a value; null if there is none. */
function inexactIn(value: Json): number | null {
  if (typeof value === 'number') return isInexact(value) ? value : null;
  if (typeof value !== 'object' || value === null) return null;
  for (const part of Object.values(value)) {
    const found = inexactIn(part);
    if (found !== null) return found;
  }
  return null;
}

function parseWord(word: 'equals' | 'contains' | 'matches', rest: string): ParsedAssertion {
  switch (word) {
    case 'equals': {
      const json = parseJson(rest);
      const value = json === undefined ? rest : json;
      const inexact = inexactIn(value);
      return inexact === null ? parsed({ kind: 'equals', value }) : invalid(inexactText(inexact));
    }
    case 'contains':
      return parsed({ kind: 'contains', substring: rest });
    case 'matches': {
      const compiled = compilePattern(rest);
      return compiled.ok ? parsed({ kind: 'matches', pattern: rest, test: compiled.test }) : invalid(compiled.message);
    }
    default:
      return assertNever(word);
  }
}

function parseComparison(ofLength: boolean, operator: Operator, written: string): ParsedAssertion {
  if (ofLength) {
    if (/^\d+$/.test(written)) return parsed({ kind: 'length', operator, length: Number(written) });
    return invalid(`"len ${operator}" needs a whole number, not ${quotedText(written)}`);
  }
  const number = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(written) ? Number(written) : NaN;
  if ((operator === '==' || operator === '!=') && isInexact(number)) return invalid(inexactText(number));
  if (Number.isFinite(number)) return parsed({ kind: 'number', operator, number });
  return invalid(`"${operator}" needs a number, not ${quotedText(written)}; for other values write "equals V"`);
}

/** Parses an assertion. Blanks around it are ignored. */
export function parseAssertion(text: string): ParsedAssertion {
  const trimmed = text.trim();
  if (trimmed === 'exists') return parsed({ kind: 'exists' });

  const [, word, rest] = /^(equals|contains|matches)\s+(.+)$/s.exec(trimmed) ?? [];
  if (rest !== undefined) return parseWord(word as 'equals' | 'contains' | 'matches', rest);

  const [, len, operator, written] = /^(len)?\s*(==|!=|>=|<=|>|<)\s*(.+)$/s.exec(trimmed) ?? [];
  if (written !== undefined) return parseComparison(len !== undefined, operator as Operator, written);

  if (trimmed === '') return invalid(`the assertion is blank: expected ${FORMS}`);
  const [first = ''] = trimmed.split(/\s/);
  const near = suggest(first, ['exists', 'equals', 'contains', 'matches', 'len']);
  const hint = near === null || near === first ? ': expected' : `; did you mean ${quotedText(near)}? Expected`;
  return invalid(`unknown assertion ${quotedText(trimmed)}${hint} ${FORMS}`);
}

const lengthOf = (value: Json): number | null => {
  if (Array.isArray(value)) return value.length;
  return isJsonObject(value) ? Object.keys(value).length : null;
};

/**
 * Returns why the value does not satisfy the assertion; null if it does. `matches` and `contains` require a string, `OP
 * N` a number.
 */
function objection(assertion: Assertion, value: Json): string | null {
  const found = `found ${printed(value)}`;
  switch (assertion.kind) {
    case 'exists':
      return value === null ? 'expected a value, found null' : null;
    case 'equals':
      return jsonEqual(value, assertion.value) ? null : `expected ${printed(assertion.value)}, ${found}`;
    case 'contains':
      if (typeof value !== 'string') return `"contains" needs a string, found ${jsonKindOf(value)}`;
      return value.includes(assertion.substring) ? null : `expected ${quotedText(assertion.substring)} in it, ${found}`;
    case 'matches':
      if (typeof value !== 'string') return `"matches" needs a string, found ${jsonKindOf(value)}`;
      return assertion.test(value) ? null : `expected a match of ${quotedText(assertion.pattern)}, ${found}`;
    case 'number': {
      const { operator, number } = assertion;
      if (typeof value !== 'number') return `"${operator}" needs a number, found ${jsonKindOf(value)}`;
      return comparisons[operator](value, number) ? null : `expected ${operator} ${number}, ${found}`;
    }
    case 'length': {
      const { operator, length } = assertion;
      const actual = lengthOf(value);
      if (actual === null) return `"len" needs an array or an object, found ${jsonKindOf(value)}`;
      return comparisons[operator](actual, length) ? null : `expected len ${operator} ${length}, found len ${actual}`;
    }
    default:
      return assertNever(assertion);
  }
}

/** Applies an assertion to what the path found. If it found nothing (undefined), every assertion fails. */
export function applyAssertion(
  assertion: Assertion,
  found: Json | undefined,
): { ok: true } | { ok: false; message: string } {
  const message = found === undefined ? 'path not found' : objection(assertion, found);
  return message === null ? { ok: true } : { ok: false, message };
}
