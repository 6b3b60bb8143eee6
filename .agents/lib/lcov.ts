// LCOV as geninfo(1) describes it, written by lcov, c8, vitest, grcov and others. Pure.

/** What is known of a source file: how often each line, branch and function was reached. */
export interface FileCoverage {
  file: string;
  lines: Map<number, number>;
  branches: Map<string, Branch>;
  functions: Map<string, { line: number | null; hits: number }>;
}

/** Block and branch are numbers for most programs that write LCOV, expressions for some. */
export interface Branch {
  line: number;
  block: number | string;
  branch: number | string;
  hits: number;
}

/** Reads a tracefile. Records of the same file (one a test, say) are added up; lines that say nothing known are passed over. */
export function parseLcov(text: string): Map<string, FileCoverage> {
  const files = new Map<string, FileCoverage>();
  let current: FileCoverage | null = null;
  // LCOV 2.2 numbers functions, and gives their names later.
  let linesOfFunctions = new Map<string, number>();
  for (const entry of text.split(/\r?\n/)) {
    const [keyword = '', value = ''] = entry.trim().split(/:(.*)/, 2);
    if (keyword === 'SF') {
      const file = normalPath(value);
      current = files.get(file) ?? { file, lines: new Map(), branches: new Map(), functions: new Map() };
      files.set(file, current);
      linesOfFunctions = new Map();
    } else if (keyword === 'end_of_record') current = null;
    else if (current !== null) addEntry(current, keyword, value, linesOfFunctions);
  }
  return files;
}

function addEntry(file: FileCoverage, keyword: string, value: string, numbered: Map<string, number>): void {
  switch (keyword) {
    case 'DA':
      return match(/^(\d+),(-?[\d.e+]+)(?:,|$)/, value, (line, hits) =>
        file.lines.set(Number(line), (file.lines.get(Number(line)) ?? 0) + hitsOf(hits)),
      );
    case 'BRDA':
      // The middle may hold commas: it can be an expression of the source.
      return match(/^(\d+),([^,]*),(.*),(-|\d+)$/, value, (line, block, branch, taken) => {
        const key = [line, block, branch].join();
        const known = file.branches.get(key);
        const hits = (known?.hits ?? 0) + hitsOf(taken);
        file.branches.set(key, { line: Number(line), block: idOf(block), branch: idOf(branch), hits });
      });
    case 'FN':
      return match(/^(\d+),(?:\d+,)?(.+)$/, value, (line, name) => addFunction(file, name, Number(line), 0));
    case 'FNDA':
      return match(/^(\d+),(.+)$/, value, (hits, name) => addFunction(file, name, null, hitsOf(hits)));
    case 'FNL':
      return match(/^(\d+),(\d+)/, value, (index, line) => numbered.set(index, Number(line)));
    case 'FNA':
      return match(/^(\d+),(\d+),(.+)$/, value, (index, hits, name) =>
        addFunction(file, name, numbered.get(index) ?? null, hitsOf(hits)),
      );
  }
}

function match(pattern: RegExp, value: string, use: (...groups: string[]) => unknown): void {
  const groups = pattern.exec(value);
  if (groups !== null) use(...groups.slice(1));
}

function addFunction(file: FileCoverage, name: string, line: number | null, hits: number): void {
  const known = file.functions.get(name);
  file.functions.set(name, { line: known?.line ?? line, hits: (known?.hits ?? 0) + hits });
}

/** `-` is a branch whose line was never reached; counters that overflowed are negative. */
const hitsOf = (text: string): number => Math.max(0, Number(text) || 0);

const idOf = (text: string): number | string => (/^\d+$/.test(text) ? Number(text) : text);

const normalPath = (path: string): string => path.replaceAll('\\', '/').replace(/^(\.\/)+/, '');

/** The files that a name may mean: the one with just that path, else all whose path ends with it after a separator. */
export function filesNamed(files: Map<string, FileCoverage>, name: string): FileCoverage[] {
  const wanted = normalPath(name);
  const exact = files.get(wanted);
  if (exact !== undefined) return [exact];
  return [...files.values()].filter(({ file }) => file.endsWith(`/${wanted}`));
}

/** Of the whole, one decimal; null of nothing. All and nothing are said only where they are true: 1999 of 2000 is 99.9. */
export function percentOf(part: number, whole: number): number | null {
  if (whole === 0) return null;
  if (part === 0 || part === whole) return part === 0 ? 0 : 100;
  return Math.min(99.9, Math.max(0.1, Math.round((1000 * part) / whole) / 10));
}

/** How much of a file is covered, and what is not. */
export function summarize({ file, lines, branches, functions }: FileCoverage) {
  const missedLines = [...lines].filter(([, hits]) => hits === 0).map(([line]) => line);
  const missedBranches = [...branches.values()].filter(({ hits }) => hits === 0);
  const missedFunctions = [...functions].filter(([, { hits }]) => hits === 0);
  return {
    file,
    summary: {
      line_coverage_percent: percentOf(lines.size - missedLines.length, lines.size),
      branch_coverage_percent: percentOf(branches.size - missedBranches.length, branches.size),
      function_coverage_percent: percentOf(functions.size - missedFunctions.length, functions.size),
      uncovered_lines: missedLines.length,
      uncovered_branches: missedBranches.length,
      uncovered_functions: missedFunctions.length,
    },
    uncovered: {
      lines: missedLines.toSorted((a, b) => a - b),
      branches: missedBranches
        .map(({ line, block, branch }) => ({ line, block, branch }))
        .toSorted((a, b) => a.line - b.line),
      functions: missedFunctions.map(([name, { line }]) => ({ name, line })),
    },
  };
}
