import { ParseError, parseTOML, type AST } from 'toml-eslint-parser';
import type { z } from 'zod';
import { check, inTextOrder, type Loaded, type Position } from '#input';
import type { Problem } from '#lib';
import { tomlSource } from './toml-source.js';

const MAX_DEPTH = 100;

/** Parses TOML and checks it against a zod schema. Never throws: every error is a problem with line and column. */
export function loadToml<S extends z.ZodType>(schema: S, file: string, raw: string): Loaded<z.output<S>> {
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
  if (rejected.length === 0) return check(schema, source);
  return {
    ok: false,
    problems: inTextOrder(rejected.map(({ position, message }) => problem(position, message))),
  };
}

type Parsed = { ok: true; program: AST.TOMLProgram } | { ok: false; position: Position; message: string };

function parse(text: string): Parsed {
  const deep = findDeepNesting(text);
  if (deep !== null)
    return { ok: false, position: deep, message: `nested more than ${MAX_DEPTH} levels deep` };
  try {
    return { ok: true, program: parseTOML(text) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
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
