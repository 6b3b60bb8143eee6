import type { ListedRun } from '../protocol.js';
import { type Column, columnNamed, COLUMNS, textIn } from './columns.js';

/*
 * Expressions that select runs: `agent:codex outcome:fail,error cost>0.5 -label:flaky "no such file"`. A run is
 * selected if every term holds for it. A minus turns a term round. `unknown` stands for what is not known.
 */

export type Term = { isNot: boolean } & (
  | { kind: 'words'; text: string }
  /** One of the values. */
  | { kind: 'text'; column: string; values: string[] }
  | { kind: 'number'; column: string; operator: Operator; value: number | null }
);

export type Operator = ':' | '<' | '<=' | '>' | '>=';

/** The part of an expression that cannot be understood. */
export interface FilterProblem {
  message: string;
  from: number;
  to: number;
}

export type Filter = { terms: Term[] } | { problem: FilterProblem };

interface Token {
  from: number;
  to: number;
  isNot: boolean;
  name: string | null;
  operator: string;
  /** Each in quotes or not; text with commas, if a name is before it. */
  values: { text: string; isOpen: boolean; isQuoted: boolean }[];
}

const TOKEN = /(-?)(?:([a-z]+)(:|<=|>=|<|>|=))?((?:"(?:[^"\\]|\\.)*(?:"|$)|[^\s"])*)/giy;

function tokensOf(expression: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < expression.length;) {
    if (/\s/.test(expression[at] ?? '')) {
      at += 1;
      continue;
    }
    TOKEN.lastIndex = at;
    const [whole = '', minus = '', name, operator = '', rest = ''] = TOKEN.exec(expression) ?? [];
    const to = at + Math.max(1, whole.length);
    const isNot = minus !== '' && whole.length > 1;
    tokens.push({
      ...{ from: at, to, isNot, name: name ?? null, operator },
      values: valuesIn(isNot || minus === '' ? rest : whole, name !== undefined),
    });
    at = to;
  }
  return tokens;
}

/** Splits at commas that are not in quotes. */
function valuesIn(text: string, isList: boolean): Token['values'] {
  const parts = isList ? (text.match(/(?:"(?:[^"\\]|\\.)*(?:"|$)|[^",])+|(?<=,)(?=,|$)|^$/g) ?? []) : [text];
  return parts.map((part) => {
    let isOpen = false;
    const read = part.replace(/"((?:[^"\\]|\\.)*)("|$)/g, (_, inside: string, end: string) => {
      isOpen ||= end === '';
      return inside.replace(/\\(.)/gs, '$1');
    });
    return { text: read, isOpen, isQuoted: part.includes('"') };
  });
}

/** Reads an expression. What is wrong with it is said of its first wrong word. */
export function parseFilter(expression: string): Filter {
  const terms: Term[] = [];
  for (const token of tokensOf(expression)) {
    const term = termOf(token);
    if (typeof term === 'string') return { problem: { message: term, from: token.from, to: token.to } };
    terms.push(term);
  }
  return { terms };
}

/** Returns what is wrong with a token, if anything is. */
function termOf({ isNot, name, operator, values }: Token): Term | string {
  if (values.some(({ isOpen }) => isOpen)) return 'a quotation mark is missing at the end';
  const [first = { text: '', isQuoted: false }] = values;
  if (name === null) {
    if (first.text === '') return 'expected a text between the quotation marks';
    return { isNot, kind: 'words', text: first.text };
  }
  const column = columnNamed(name.toLowerCase());
  if (column === undefined)
    return `there is no field '${name}'; expected one of ${COLUMNS.map((one) => one.name).join(', ')}, or a text in quotation marks`;
  if (values.some(({ text }) => text === '')) return `expected a value after '${name}${operator}'`;
  if (column.kind === 'text') {
    if (operator !== ':' && operator !== '=')
      return `'${column.name}' is a text; expected ${column.name}:${first.text}`;
    return { isNot, kind: 'text', column: column.name, values: values.map(({ text }) => text) };
  }
  if (values.length > 1) return `expected one number after '${name}${operator}'`;
  const value = numberIn(first.text, column);
  if (value === undefined)
    return `expected a number after '${name}${operator}'${column.isTime === true ? ', in seconds or such as 90s, 2m or 1h' : ''}, or 'unknown'`;
  const sign = operator === '=' ? ':' : (operator as Operator);
  if (value === null && sign !== ':') return `expected ${column.name}:unknown`;
  return { isNot, kind: 'number', column: column.name, operator: sign, value };
}

const UNKNOWN = 'unknown';
const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 };

function numberIn(text: string, column: Column): number | null | undefined {
  if (text.toLowerCase() === UNKNOWN) return null;
  const [, digits, unit = ''] = /^(-?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?)([smh]?)$/i.exec(text) ?? [];
  const isTime = column.kind === 'number' && column.isTime === true;
  if (digits === undefined || (unit !== '' && !isTime)) return undefined;
  const value = Number(digits) * (UNITS[unit.toLowerCase()] ?? 1);
  return Number.isFinite(value) ? value : undefined;
}

const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;

/** A value as an expression has it: in quotation marks if it needs them. */
const written = (value: string): string => (/^[^\s",\\]+$/.test(value) ? value : quoted(value));

/** Writes a term so that it is read again as the same. */
export function termText(term: Term): string {
  const minus = term.isNot ? '-' : '';
  if (term.kind === 'words') return `${minus}${quoted(term.text)}`;
  if (term.kind === 'text') return `${minus}${term.column}:${term.values.map(written).join(',')}`;
  return `${minus}${term.column}${term.operator}${term.value ?? UNKNOWN}`;
}

/** Returns whether every term holds for a run. */
export const matchesFilter = (terms: readonly Term[], run: ListedRun): boolean =>
  terms.every((term) => holds(term, run) !== term.isNot);

function holds(term: Term, run: ListedRun): boolean {
  if (term.kind === 'words') return allTextOf(run).includes(term.text.toLowerCase());
  const column = columnNamed(term.column);
  if (column === undefined) return false;
  if (column.kind === 'text') {
    if (term.kind !== 'text') return false;
    const has = column.values(run).map((value) => value.toLowerCase());
    return term.values
      .map((value) => value.toLowerCase())
      .some((wanted) =>
        wanted === UNKNOWN && has.length === 0
          ? true
          : has.some((value) => (column.isProse === true ? value.includes(wanted) : value === wanted)),
      );
  }
  return term.kind === 'number' && isInRange(column.value(run), term.operator, term.value);
}

function isInRange(value: number | null, operator: Operator, bound: number | null): boolean {
  if (bound === null || value === null) return bound === value;
  switch (operator) {
    case ':':
      return value === bound;
    case '<':
      return value < bound;
    case '<=':
      return value <= bound;
    case '>':
      return value > bound;
    case '>=':
      return value >= bound;
  }
}

/** The texts of a run in which words are looked for. */
const SEARCHED = ['scenario', 'variant', 'agent', 'reason', 'gate', 'label', 'notes'].flatMap(
  (name) => columnNamed(name) ?? [],
);

const allTextOf = (run: ListedRun): string =>
  [run.id, ...SEARCHED.map((column) => textIn(column, run))].join('\n').toLowerCase();

/** The values of a column that an expression asks for; empty if it asks for none. */
export function valuesAskedFor(expression: string, column: string): readonly string[] {
  const filter = parseFilter(expression);
  if ('problem' in filter) return [];
  return filter.terms.flatMap((term) =>
    term.kind === 'text' && term.column === column && !term.isNot ? term.values : [],
  );
}

/** Returns the expression with other values of a column, or without that term if there are none. */
export function withValues(expression: string, column: string, values: readonly string[]): string {
  const rest = tokensOf(expression)
    .filter(({ name, isNot }) => isNot || name?.toLowerCase() !== column)
    .map(({ from, to }) => expression.slice(from, to));
  return [
    ...rest,
    ...(values.length === 0 ? [] : [termText({ isNot: false, kind: 'text', column, values: [...values] })]),
  ].join(' ');
}

const MAX_COMPLETIONS = 20;

/** Returns expressions in which the last word of this one is complete. `choices`: the values of columns, by name. */
export function completionsOf(expression: string, choices: Readonly<Record<string, readonly string[]>>): string[] {
  const last = tokensOf(expression).at(-1);
  const isNew = last === undefined || last.to < expression.length;
  const before = isNew ? expression : expression.slice(0, last.from);
  const minus = !isNew && last.isNot ? '-' : '';
  const typed = isNew ? '' : (last.values.at(-1)?.text ?? '').toLowerCase();
  if (isNew || last.name === null)
    return COLUMNS.filter(({ name }) => name.startsWith(typed))
      .map(({ name, kind }) => `${before}${minus}${name}${kind === 'text' ? ':' : '>'}`)
      .slice(0, MAX_COMPLETIONS);
  const column = last.name.toLowerCase();
  const earlier = last.values.slice(0, -1).map(({ text }) => `${written(text)},`);
  return (choices[column] ?? [])
    .filter((value) => value.toLowerCase().startsWith(typed) && value.toLowerCase() !== typed)
    .map((value) => `${before}${minus}${column}${last.operator}${earlier.join('')}${written(value)}`)
    .slice(0, MAX_COMPLETIONS);
}
