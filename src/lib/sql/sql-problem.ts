import { beginningOf } from '../format/truncate.js';
import { splitStatements, type SqlStatement } from './split-statements.js';

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
