import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { splitStatements, sqlProblem } from '../../src/lib/sql.js';

const texts = (sql: string): string[] => splitStatements(sql).map(({ text }) => text);

describe('splitStatements', () => {
  test.each([
    ['strings', `SELECT ';', 'it''s;'; SELECT 2`, [`SELECT ';', 'it''s;';`, 'SELECT 2']],
    ['names', `SELECT ";", \`;\`; SELECT 2;`, [`SELECT ";", \`;\`;`, 'SELECT 2;']],
    ['escapes of PostgreSQL', `SELECT E'\\';'; SELECT 2;`, [`SELECT E'\\';';`, 'SELECT 2;']],
    ['comments', 'SELECT 1 -- a;b\n; /* ; */ SELECT 2;', ['SELECT 1 -- a;b\n;', 'SELECT 2;']],
    ['bodies of functions', 'DO $a$ BEGIN; $b$; $a$; SELECT 2;', ['DO $a$ BEGIN; $b$; $a$;', 'SELECT 2;']],
    ['what is not closed', `SELECT 'a; SELECT 2;`, [`SELECT 'a; SELECT 2;`]],
    ['nothing but blanks and comments', ' ; -- x\n;;\n/* y */', []],
  ])('ends no statement in %s', (_what, sql, expected) => {
    expect(texts(sql)).toEqual(expected);
  });

  test('gives each statement its line and place', () => {
    const sql = 'SELECT 1;\n\n-- two\nSELECT\n  2;';
    expect(splitStatements(sql).map(({ line }) => line)).toEqual([1, 4]);
    for (const { text, start, end } of splitStatements(sql)) expect(sql.slice(start, end)).toBe(text);
  });

  test('finds statements in order, without overlap, and on the lines where they are', () => {
    const piece = fc.constantFrom('SELECT 1', ';', "'", '"', '--', '\n', '/*', '*/', '$$', '$x$', "E'", '\\', ' ');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const sql = pieces.join('');
        let before = 0;
        for (const { text, line, start, end } of splitStatements(sql)) {
          expect(start).toBeGreaterThanOrEqual(before);
          expect(sql.startsWith(text, start)).toBe(true);
          expect(sql.slice(0, start).split('\n')).toHaveLength(line);
          before = end;
        }
        expect(before).toBeLessThanOrEqual(sql.length);
      }),
    );
  });

  test('takes linear time for what is not closed', () => {
    const sql = `${"E'".repeat(50_000)}${'/*'.repeat(50_000)}${'$a$'.repeat(50_000)}`;
    expect(splitStatements(sql)).toHaveLength(1);
  });
});

describe('sqlProblem', () => {
  const sql = 'SELECT 1;\nSELECT\n  wrong;\nSELECT 3;';
  test('names the line of a character and its statement', () => {
    expect(sqlProblem(sql, { at: sql.indexOf('wrong') }, 'no such column')).toBe(
      'line 3: SELECT wrong;: no such column',
    );
  });
  test('names the nth statement', () => {
    expect(sqlProblem(sql, { nth: 2 }, 'no')).toBe('line 4: SELECT 3;: no');
  });
  test('shortens a long statement, and gives only the reason if there is none', () => {
    expect(sqlProblem(`SELECT '${'x'.repeat(500)}'`, { at: 0 }, 'no').length).toBeLessThan(150);
    expect(sqlProblem('', { nth: 4 }, 'no')).toBe('no');
  });
});
