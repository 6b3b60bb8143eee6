import { check, inTextOrder, type Loaded, type Source } from '#input';
import { ownValue, type Problem } from '#lib';
import { parseYaml } from '../yaml/load-yaml.js';
import { parseCsv } from './parse-csv.js';
import { Case, ignoredIn, toCase, TRIGGERS } from './case-fields.js';
import type { Suite } from './suite.js';

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

/** Reads a list in CSV, whose first line names the fields. Never throws: every error is a problem with line and column. */
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
      ...{ file, value, nouns: { map: 'a row', list: 'a list' } },
      locate: ([name]) => fields.find((one) => one.name === name)?.cell.at ?? first?.at ?? null,
    };
  });
  return suiteOf(sources, []);
}
