import parse from 'jsonpath-rfc9535/parser';
import { type Json, ownValue } from '#lib';
import { query } from 'jsonpath-rfc9535';
import type { JsonPathQuery } from 'jsonpath-rfc9535/parser';
import { quotedText } from '../verdicts.js';

type Segment = JsonPathQuery['segments'][number];
type Node = { type: string } & Record<string, unknown>;

/** True if a path can find at most one value (RFC 9535, 2.3.5.1): it has only names and indexes, one at a time. */
function isSingular(segments: readonly Segment[]): boolean {
  return segments.every(({ type, node }) => {
    if (type !== 'ChildSegment') return false;
    if (node.type !== 'BracketedSelection') return node.type === 'MemberNameShorthand';
    const [selector, ...others] = node.selectors;
    return others.length === 0 && (selector?.type === 'NameSelector' || selector?.type === 'IndexSelector');
  });
}

/** The functions of RFC 9535, 2.4: their arguments, and whether they return a truth value or a JSON value. */
const functions: Record<string, { takes: ('value' | 'nodes')[]; gives: 'truth' | 'value' }> = {
  length: { takes: ['value'], gives: 'value' },
  count: { takes: ['nodes'], gives: 'value' },
  value: { takes: ['nodes'], gives: 'value' },
  match: { takes: ['value', 'value'], gives: 'truth' },
  search: { takes: ['value', 'value'], gives: 'truth' },
};

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value;
const has = (value: unknown, type: string): value is Node => isNode(value) && value.type === type;
const functionIn = (value: unknown): string | null => (has(value, 'FunctionExpr') ? String(value['name']) : null);

function argumentFlaw(name: string, takes: 'value' | 'nodes', argument: unknown): string | null {
  const path = has(argument, 'FilterQuery') ? argument['value'] : undefined;
  if (takes === 'nodes') return path === undefined ? `${name}() takes a path` : null;
  const segments = isNode(path) ? (path['segments'] as Segment[]) : [];
  if (!isSingular(segments)) return `${name}() takes a path that names one value at most`;
  const inner = functionIn(argument);
  return inner !== null && functions[inner]?.gives === 'truth'
    ? `${inner}() does not return a value, so it cannot be an argument of ${name}()`
    : null;
}

function functionFlaw(node: Node): string | null {
  const name = String(node['name']);
  const signature = ownValue(functions, name);
  if (signature === undefined) return `there is no function "${name}", only ${Object.keys(functions).join(', ')}`;
  const given = node['arguments'] as unknown[] | null;
  if (given?.length !== signature.takes.length) return `${name}() takes ${signature.takes.length} argument(s)`;
  return firstOf(signature.takes, (takes, index) => argumentFlaw(name, takes, given[index]));
}

function useFlaw(node: Node): string | null {
  const uses = node.type === 'TestExpr' ? [node['expression']] : [node['left'], node['right']];
  const fitting = node.type === 'TestExpr' ? 'truth' : 'value';
  return firstOf(uses, (use) => {
    const name = functionIn(use);
    if (name === null || !Object.hasOwn(functions, name) || functions[name]?.gives === fitting) return null;
    return fitting === 'truth' ? `the result of ${name}() must be compared` : `${name}() cannot be compared`;
  });
}

function ownFlaw(node: Node): string | null {
  switch (node.type) {
    case 'IndexSelector':
    case 'SliceSelector': {
      // The library silently evaluates an index in a comparison to nothing.
      if ('selector' in node) return 'an index in a comparison must be written with value(): value(@[0]) == 1';
      const unsafe = Object.values(node).some((part) => typeof part === 'number' && !Number.isSafeInteger(part));
      return unsafe ? 'the index is too large (JSON integers are exact up to 2^53-1)' : null;
    }
    case 'LogicalAndExpr':
      // The library parses a && b && c as a && (b || c) (github.com/P0lip/jsonpath-rfc9535/issues/5), so the two
      // cannot be distinguished. Rejecting the path is better than a wrong verdict.
      return has(node['right'], 'LogicalOrExpr')
        ? 'write chains of && in pairs, like (a && b) && c, and a group with || first, like (b || c) && a'
        : null;
    case 'FunctionExpr':
      return functionFlaw(node);
    case 'TestExpr':
    case 'ComparisonExpr':
      return useFlaw(node);
    default:
      return null;
  }
}

function firstOf<T>(items: readonly T[], flawOf: (item: T, index: number) => string | null): string | null {
  for (const [index, item] of items.entries()) {
    const flaw = flawOf(item, index);
    if (flaw !== null) return flaw;
  }
  return null;
}

/**
 * Finds what RFC 9535 forbids although the parser accepts it, and what the library would evaluate wrongly. Returns null
 * if there is nothing of the kind.
 */
function jsonPathFlaw(node: unknown): string | null {
  if (Array.isArray(node)) return firstOf(node as unknown[], jsonPathFlaw);
  if (!isNode(node)) return null;
  return ownFlaw(node) ?? firstOf(Object.values(node), jsonPathFlaw);
}

/** A compiled JSON path (RFC 9535), or why the text is not a JSON path. */
type CompiledJsonPath =
  { ok: true; singular: boolean; find: (value: Json) => Json | undefined } | { ok: false; message: string };

function explain(path: string, error: unknown): string {
  if (path.trim() === '') return 'the JSON path is blank; "$" is the whole value';
  if (!path.startsWith('$'))
    return `${quotedText(path)} is not a JSON path: it must begin with "$", like $.items[0].name`;
  const offset = (error as { location?: { start?: { offset?: number } } }).location?.start?.offset ?? 0;
  const where = offset < path.length ? `unexpected ${quotedText(path.slice(offset))}` : 'it ends too early';
  const inName = offset < path.length && /\.\w+$/.test(path.slice(0, offset));
  const hint = inName ? `; names with more than letters, digits and "_" are written $['a-b']` : '';
  return `${quotedText(path)} is not a JSON path (RFC 9535): ${where}${hint}`;
}

function parsePath(path: string): JsonPathQuery | { message: string } {
  try {
    return parse(path);
  } catch (error) {
    return { message: explain(path, error) };
  }
}

/**
 * Compiles a JSON path. `find` returns the value of a singular path, an array of all values of any other path, and
 * undefined if there is no value.
 */
export function compileJsonPath(path: string): CompiledJsonPath {
  const parsed = parsePath(path);
  if ('message' in parsed) return { ok: false, message: parsed.message };
  const flaw = jsonPathFlaw(parsed);
  if (flaw !== null) return { ok: false, message: `${quotedText(path)}: ${flaw}` };
  const singular = isSingular(parsed.segments);
  return {
    ok: true,
    singular,
    find: (value) => {
      const values = query(value, path);
      if (values.length === 0) return undefined;
      return singular ? values[0] : values;
    },
  };
}
