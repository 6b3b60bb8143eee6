import { check, inTextOrder, type Loaded, type Position, type Source } from '#input';
import { ownValue, type Problem } from '#lib';
import { parseYaml } from '../yaml/load-yaml.js';
import { Case, ignoredIn, toCase, TRIGGERS } from './case-fields.js';
import type { Suite } from './suite.js';

/** A field of a row, and where it begins. */
interface Cell {
  text: string;
  at: Position;
}

type ParsedCsv = { ok: true; rows: Cell[][] } | { ok: false; problem: Position & { message: string } };

/** Parses CSV (RFC 4180), with line breaks of either kind. Empty lines are skipped. Lines and columns count from 1. */
function parseCsv(raw: string): ParsedCsv {
  const text = raw.replace(/^\uFEFF/, '');
  const rows: Cell[][] = [];
  let row: Cell[] = [];
  let [line, lineStart, at] = [1, 0, 0];
  const here = (): Position => ({ line, column: at - lineStart + 1 });
  const endRow = (): void => {
    if (row.length > 1 || row[0]?.text !== '') rows.push(row);
    row = [];
  };
  while (at <= text.length) {
    const start = here();
    let cell = '';
    if (text[at] === '"') {
      for (at += 1; ; at += 1) {
        const sign = text[at];
        if (sign === undefined) return { ok: false, problem: { ...start, message: 'a quote is not closed' } };
        if (sign === '"' && text[at + 1] !== '"') break;
        if (sign === '"') at += 1;
        cell += sign;
        if (sign === '\n') [line, lineStart] = [line + 1, at + 1];
      }
      at += 1;
      if (at < text.length && !/[,\r\n]/.test(text[at] ?? ''))
        return {
          ok: false,
          problem: { ...here(), message: 'expected a comma or the end of the line after a quote' },
        };
    } else {
      const end = /[,\r\n]|$/.exec(text.slice(at))?.index ?? 0;
      cell = text.slice(at, at + end);
      at += end;
    }
    row.push({ text: cell, at: start });
    if (text[at] === ',') {
      at += 1;
      continue;
    }
    endRow();
    if (text[at] === '\r' && text[at + 1] === '\n') at += 1;
    at += 1;
    [line, lineStart] = [line + 1, at];
  }
  return { ok: true, rows };
}

/** A row without a prompt has no place for it. */
const ofRow = (problem: Problem): Problem =>
  problem.path === 'prompt' && problem.message.startsWith('missing: ')
    ? { ...problem, path: '', message: problem.message.replace('missing: ', '') }
    : problem;

/** Checks the rows of a list, each with its own source. */
function suiteOf(sources: readonly Source[], broken: readonly Problem[]): Loaded<Suite> {
  const rows = sources.map((source) => check(Case, source));
  const problems = [...broken, ...rows.flatMap((row) => (row.ok ? [] : row.problems.map(ofRow)))];
  const cases = rows.flatMap((row, index) => (row.ok ? [toCase(row.value, index)] : []));
  if (problems.length > 0) return { ok: false, problems: inTextOrder(problems) };
  return {
    ok: true,
    value: { skill: null, cases, ignored: [...new Set(sources.flatMap(({ value }) => ignoredIn(value)))] },
    problemAt: ([, index, ...rest], ...what) => {
      const row = rows[Number(index)];
      if (row?.ok !== true) throw new RangeError(`no row ${String(index)}`);
      return row.problemAt(rest, ...what);
    },
  };
}

/** An item of a list, as a source of its own. */
const below = (source: Source, item: number): Source => ({
  ...source,
  value: (source.value as unknown[])[item],
  locate: (path, side) => source.locate([item, ...path], side),
});

/** Reads a list with a JSON object in each line. Never throws: every error is a problem with line and column. */
export function readJsonLines(file: string, text: string): Loaded<Suite> {
  const problems: Problem[] = [];
  const sources = text.split(/\r?\n/).flatMap((line, index): Source[] => {
    if (line.trim() === '') return [];
    const parsed = parseYaml(file, line); // JSON is YAML
    problems.push(...parsed.problems.map((problem) => ({ ...problem, line: problem.line + index })));
    const { source } = parsed;
    if (source === null) return [];
    const moved: Source = {
      ...source,
      locate: (...at) => {
        const found = source.locate(...at);
        return found === null ? null : { ...found, line: found.line + index };
      },
    };
    // A whole list may have been saved under this ending.
    return Array.isArray(source.value) ? source.value.map((_, item) => below(moved, item)) : [moved];
  });
  return suiteOf(sources, problems);
}

const BOOLEANS: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  1: true,
  false: false,
  no: false,
  0: false,
};

/** The value of a field that CSV has as text. */
function cellValue(name: string, written: string): unknown {
  if ((TRIGGERS as readonly string[]).includes(name))
    return ownValue(BOOLEANS, written.trim().toLowerCase()) ?? written;
  // Ids that only look like numbers, as 007, stay as they are.
  return name === 'id' && /^(0|-?[1-9]\d{0,14})$/.test(written) ? Number(written) : written;
}

/**
 * Reads a list in CSV, whose first line names the fields. Never throws: every error is a problem with line and column.
 */
export function readCsv(file: string, text: string): Loaded<Suite> {
  const parsed = parseCsv(text);
  if (!parsed.ok) return { ok: false, problems: [{ file, path: '', ...parsed.problem }] };
  const [header = [], ...rows] = parsed.rows;
  const sources = rows.map((cells): Source => {
    const fields = cells.map((cell, at) => ({ cell, name: header[at]?.text.trim() ?? `column ${at + 1}` }));
    const value = Object.fromEntries(
      fields.flatMap(({ cell: { text: written }, name }): [string, unknown][] =>
        written === '' ? [] : [[name, cellValue(name, written)]],
      ),
    );
    const [first] = cells;
    return {
      file,
      value,
      nouns: { map: 'a row', list: 'a list' },
      locate: ([name]) => fields.find((one) => one.name === name)?.cell.at ?? first?.at ?? null,
    };
  });
  return suiteOf(sources, []);
}
