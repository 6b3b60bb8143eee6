/** A statement of an SQL text, without the comments before it. */
export interface SqlStatement {
  text: string;
  /** Line of its first character, from 1. */
  line: number;
  start: number;
  end: number;
}

/**
 * What can contain a semicolon that ends no statement: strings, names, comments, and PostgreSQL's `$tag$` quotes. What
 * is not closed extends to the end.
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
