import { beginningOf } from './format/truncate.js';

const SHOWN = 120;

/** Where a database found a problem: at a character of the text (from 0), or in one of its statements (from 0). */
export type SqlPlace = { at: number } | { nth: number };

/** Describes a problem with an SQL text: the line, the beginning of the statement, and what the database says. */
export function sqlProblem(sql: string, place: SqlPlace, reason: string): string {
  const statements = splitStatements(sql);
  const found = 'nth' in place ? statements[place.nth] : statementAt(statements, place.at);
  if (found === undefined) return reason;
  const line = 'at' in place ? lineAt(sql, Math.max(place.at, found.start)) : found.line;
  return `line ${line}: ${beginningOf(found.text.replaceAll(/\s+/g, ' '), SHOWN)}: ${reason}`;
}

const statementAt = (statements: readonly SqlStatement[], at: number): SqlStatement | undefined =>
  statements.find(({ end }) => at < end) ?? statements.at(-1);

const lineAt = (sql: string, at: number): number => sql.slice(0, at).split('\n').length;

/** A statement of an SQL text, without the comments before it. */
export interface SqlStatement {
  text: string;
  /** Line of its first character, from 1. */
  line: number;
  start: number;
  end: number;
}

/**
 * Texts that can contain a semicolon that ends no statement: strings, names, comments, and PostgreSQL's `$tag$` quotes.
 * What is not closed extends to the end.
 */
const TOKEN =
  /[eE]'(?:[^'\\]|\\.|'')*(?:'|$)|'(?:[^']|'')*(?:'|$)|"[^"]*(?:"|$)|`[^`]*(?:`|$)|--[^\n]*|\/\*[^]*?(?:\*\/|$)|\$(\w*)\$[^]*?(?:\$\1\$|$)|;/g;
const IGNORED = /^(?:\s+|--[^\n]*|\/\*[^]*?(?:\*\/|$))*/;

/**
 * Splits an SQL text into its statements, well enough to name one in a message. A database splits it by itself: the
 * body of a trigger or function may contain semicolons.
 */
export function splitStatements(sql: string): SqlStatement[] {
  const ends = [...sql.matchAll(TOKEN)].flatMap(({ 0: token, index }) => (token === ';' ? [index + 1] : []));
  const statements: SqlStatement[] = [];
  let from = 0;
  let line = 1;
  for (const end of [...ends, sql.length]) {
    const piece = sql.slice(from, end);
    const [ignored = ''] = IGNORED.exec(piece) ?? [];
    const text = piece.slice(ignored.length).trimEnd();
    if (text !== '' && text !== ';')
      statements.push({ text, line: line + newlinesIn(ignored), start: from + ignored.length, end });
    line += newlinesIn(piece);
    from = end;
  }
  return statements;
}

const newlinesIn = (text: string): number => text.split('\n').length - 1;
