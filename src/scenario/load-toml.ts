import { check, inTextOrder, type Loaded, type Path, type Position, type Source } from '#input';
import { messageOf, type Problem } from '#lib';
import { type AST, ParseError, parseTOML } from 'toml-eslint-parser';
import type { z } from 'zod';

/** A value of the file with its position. It has either `map` or `list`; without both, it is the plain value. */
interface Located {
  key: Position;
  value: Position;
  plain?: unknown;
  /** A number as it is written. */
  written?: string;
  map?: Map<string, Located>;
  list?: Located[];
}

/** A key that is valid TOML, but is not allowed here. */
interface RejectedKey {
  position: Position;
  message: string;
}

const MAX_KEY_PARTS = 20;

/**
 * Converts a TOML program to a source. The library's own conversion is not used because it has no positions and
 * assigns to `__proto__`.
 */
export function tomlSource(file: string, program: AST.TOMLProgram): { source: Source; rejected: RejectedKey[] } {
  const start = { line: 1, column: 1 };
  const root: Located = { key: start, value: start, map: new Map() };
  const rejected: RejectedKey[] = [];
  fill(root, program.body[0].body, rejected);
  const source: Source = {
    file,
    value: plainOf(root),
    nouns: { map: 'a table', list: 'an array' },
    locate: (path, side) => find(root, path)?.[side] ?? null,
    written: (path) => find(root, path)?.written || null,
  };
  return { source, rejected };
}

function fill(table: Located, body: readonly (AST.TOMLKeyValue | AST.TOMLTable)[], rejected: RejectedKey[]): void {
  for (const node of body) {
    const flaw = flawOf(node.key);
    if (flaw !== null) {
      rejected.push({ position: startOf(node.key), message: flaw });
      continue;
    }
    if (node.type === 'TOMLTable') {
      const parts = node.key.keys;
      const own =
        node.kind === 'array' ? append(descend(table, parts.slice(0, -1)), parts.at(-1)) : descend(table, parts);
      fill(own, node.body, rejected);
    } else {
      const last = node.key.keys.at(-1);
      if (last === undefined) continue;
      const parent = descend(table, node.key.keys.slice(0, -1));
      parent.map?.set(nameOf(last), located(node.value, startOf(last), rejected));
    }
  }
}

function flawOf({ keys }: AST.TOMLKey): string | null {
  // Assigning to it would change the object's prototype.
  if (keys.some((part) => nameOf(part) === '__proto__')) return "the key '__proto__' is not allowed";
  return keys.length > MAX_KEY_PARTS
    ? `expected at most ${MAX_KEY_PARTS} parts in a dotted key, got ${keys.length}`
    : null;
}

/** Follows a dotted key and creates the tables that it implies. In an array of tables, it enters the last one. */
function descend(from: Located, parts: readonly (AST.TOMLBare | AST.TOMLQuoted)[]): Located {
  let at = from;
  for (const part of parts) {
    const name = nameOf(part);
    const next = at.map?.get(name) ?? {
      key: startOf(part),
      value: startOf(part),
      map: new Map<string, Located>(),
    };
    at.map?.set(name, next);
    at = next.list?.at(-1) ?? next;
  }
  return at;
}

function append(parent: Located, part: AST.TOMLBare | AST.TOMLQuoted | undefined): Located {
  if (part === undefined) return parent;
  const here = startOf(part);
  const array = parent.map?.get(nameOf(part)) ?? { key: here, value: here, list: [] };
  parent.map?.set(nameOf(part), array);
  const item: Located = { key: here, value: here, map: new Map() };
  array.list?.push(item);
  return item;
}

function located(node: AST.TOMLContentNode, key: Position, rejected: RejectedKey[]): Located {
  const value = startOf(node);
  if (node.type === 'TOMLValue')
    return { key, value, plain: node.value, ...('number' in node ? { written: node.number } : {}) };
  if (node.type === 'TOMLArray') {
    return {
      key,
      value,
      list: node.elements.map((element) => located(element, startOf(element), rejected)),
    };
  }
  const table: Located = { key, value, map: new Map() };
  fill(table, node.body, rejected);
  return table;
}

function plainOf({ map, list, plain }: Located): unknown {
  if (map !== undefined) return Object.fromEntries([...map].map(([name, child]) => [name, plainOf(child)]));
  return list === undefined ? plain : list.map(plainOf);
}

function find(root: Located, path: Path): Located | null {
  let at: Located | undefined = root;
  for (const part of path) at = at?.map?.get(String(part)) ?? at?.list?.[Number(part)];
  return at ?? null;
}

const nameOf = (part: AST.TOMLBare | AST.TOMLQuoted): string => (part.type === 'TOMLBare' ? part.name : part.value);

/** Converts the library's columns, which start at 0. */
const startOf = ({ loc }: AST.TOMLNode): Position => ({ line: loc.start.line, column: loc.start.column + 1 });

const MAX_DEPTH = 100;

/** Parses TOML and checks it against a zod schema. Never throws: every error is a problem with line and column. */
export function loadToml<S extends z.ZodType>(schema: S, file: string, raw: string): Loaded<z.output<S>> {
  const read = readToml(file, raw);
  return read.ok ? check(schema, read.source) : read;
}

/** Parses TOML. Never throws: every error is a problem with line and column. */
export function readToml(file: string, raw: string): { ok: true; source: Source } | { ok: false; problems: Problem[] } {
  const text = raw.replace(/^\uFEFF/, '');
  const problem = (position: Position, message: string): Problem => ({
    file,
    ...position,
    path: '',
    message,
  });
  const parsed = parse(text);
  if (!parsed.ok) return { ok: false, problems: [problem(parsed.position, parsed.message)] };
  const { source, rejected } = tomlSource(file, parsed.program);
  if (rejected.length === 0) return { ok: true, source };
  return {
    ok: false,
    problems: inTextOrder(rejected.map(({ position, message }) => problem(position, message))),
  };
}

type Parsed = { ok: true; program: AST.TOMLProgram } | { ok: false; position: Position; message: string };

function parse(text: string): Parsed {
  const deep = findDeepNesting(text);
  if (deep !== null) return { ok: false, position: deep, message: `nested more than ${MAX_DEPTH} levels deep` };
  try {
    return { ok: true, program: parseTOML(text) };
  } catch (error) {
    const reason = messageOf(error);
    const message = explanations[reason] ?? `invalid TOML: ${reason}`;
    const at = error instanceof ParseError ? error : { lineNumber: 1, column: 0 };
    return { ok: false, position: { line: at.lineNumber, column: at.column + 1 }, message };
  }
}

/** Messages of the TOML library, rewritten to say what to fix. */
const explanations: Record<string, string> = {
  'Defining a key multiple times is invalid': 'this key or table is defined twice; keep one',
  'The key, equals sign, and value must be on the same line':
    'expected key = value on one line; the ] of a [table] above may be missing',
  'Unterminated table-key': 'the ] of a [table] is missing',
};

/**
 * Finds where brackets nest too deeply, ignoring strings and comments. The library parses recursively and would
 * overflow the stack, which gives no usable message.
 */
function findDeepNesting(text: string): Position | null {
  let depth = 0;
  for (const { 0: token, index } of text.matchAll(TOKENS)) {
    if (token === '[' || token === '{') depth += 1;
    else if (token === ']' || token === '}') depth -= 1;
    if (depth > MAX_DEPTH) return positionAt(text, index);
  }
  return null;
}

const TOKENS = /"""[^]*?"""|'''[^]*?'''|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|#[^\n]*|[[\]{}]/g;

function positionAt(text: string, offset: number): Position {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}
