import { query } from 'jsonpath-rfc9535';
import parse, { type JsonPathQuery } from 'jsonpath-rfc9535/parser';
import type { Json } from '#lib';
import { isSingular, jsonPathFlaw } from './json-path-rules.js';
import { quote } from '../verdicts.js';

/** A compiled JSON path (RFC 9535), or why the text is not a JSON path. */
type CompiledJsonPath =
  { ok: true; singular: boolean; find: (value: Json) => Json | undefined } | { ok: false; message: string };

function explain(path: string, error: unknown): string {
  if (path.trim() === '') return 'the JSON path is blank; "$" is the whole value';
  if (!path.startsWith('$'))
    return `${quote(path)} is not a JSON path: it must begin with "$", like $.items[0].name`;
  const offset = (error as { location?: { start?: { offset?: number } } }).location?.start?.offset ?? 0;
  const where = offset < path.length ? `unexpected ${quote(path.slice(offset))}` : 'it ends too early';
  const inName = offset < path.length && /\.\w+$/.test(path.slice(0, offset));
  const hint = inName ? `; names with more than letters, digits and "_" are written $['a-b']` : '';
  return `${quote(path)} is not a JSON path (RFC 9535): ${where}${hint}`;
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
  if (flaw !== null) return { ok: false, message: `${quote(path)}: ${flaw}` };
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
