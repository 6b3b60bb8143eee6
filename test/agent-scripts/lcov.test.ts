import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { filesNamed, parseLcov, percentOf, summarize } from '../../.agents/lib/lcov.ts';

/** The coverage of a file in one test. */
interface TestRecord {
  file: string;
  lines: [line: number, hits: number][];
  branches: [line: number, block: string, branch: string, hits: number | null][];
  functions: [name: string, line: number, hits: number][];
}

const count = fc.nat({ max: 1_000_000 });
const line = fc.integer({ min: 1, max: 400 });
const path = fc.stringMatching(/^[\wé,:()-][\wé ,:().-]{0,8}(\/[\w,:-]{1,6}){0,3}$/).map((text) => `${text}.c`);
const expression = fc.stringMatching(/^[a-z](>|, | == )[a-z]$/);
const id = fc.oneof(fc.nat({ max: 9 }).map(String), fc.constant('e0'));

const record: fc.Arbitrary<TestRecord> = fc.record({
  file: path,
  lines: fc.array(fc.tuple(line, count)),
  branches: fc.array(fc.tuple(line, id, fc.oneof(id, expression), fc.option(count)), { maxLength: 8 }),
  functions: fc.uniqueArray(fc.tuple(fc.stringMatching(/^[a-z]\w*(\(int, long\))?$/), line, count), {
    selector: ([name]) => name,
  }),
});

/** In the styles of different programs: functions by name or number, lines with a checksum, unknown entries. */
function written({ file, lines, branches, functions }: TestRecord, style: { numbers: boolean; end: string }): string {
  const named = ({ 0: name, 1: at, 2: hits }: TestRecord['functions'][number], index: number): string[] =>
    style.numbers
      ? [`FNL:${index},${at},${at + 2}`, `FNA:${index},${hits},${name}`]
      : [`FN:${at},${name}`, `FNDA:${hits},${name}`];
  return [
    'TN:some test',
    `SF:${file}`,
    ...functions.flatMap(named),
    `FNF:${functions.length}`,
    ...branches.map(([at, block, branch, hits]) => `BRDA:${at},${block},${branch},${hits ?? '-'}`),
    'VER:1 2 3',
    '',
    ...lines.map(([at, hits]) => `DA:${at},${hits}${style.numbers ? ',c2FsdA==' : ''}`),
    'end_of_record',
  ].join(style.end);
}

/** The hits in all records by file, kind and name. A map, because names can be anything. */
type Hits = Map<string, number>;

function add(hits: Hits, key: unknown[], count: number): void {
  const name = JSON.stringify(key);
  hits.set(name, (hits.get(name) ?? 0) + count);
}

function hitsIn(records: readonly TestRecord[]): Hits {
  const hits: Hits = new Map();
  for (const { file, lines, branches, functions } of records) {
    add(hits, [file], 0);
    for (const [at, count] of lines) add(hits, [file, 'line', at], count);
    for (const [at, block, branch, count] of branches) add(hits, [file, 'branch', at, block, branch], count ?? 0);
    for (const [name, , count] of functions) add(hits, [file, 'function', name], count);
  }
  return hits;
}

function hitsRead(text: string): Hits {
  const hits: Hits = new Map();
  for (const { file, lines, branches, functions } of parseLcov(text).values()) {
    add(hits, [file], 0);
    for (const [at, count] of lines) add(hits, [file, 'line', at], count);
    for (const { line, block, branch, hits: count } of branches.values())
      add(hits, [file, 'branch', line, String(block), String(branch)], count);
    for (const [name, { hits: count }] of functions) add(hits, [file, 'function', name], count);
  }
  return hits;
}

describe('LCOV', () => {
  test('is read back as written, with the records of a file added up', () => {
    const style = fc.record({ numbers: fc.boolean(), end: fc.constantFrom('\n', '\r\n') });
    fc.assert(
      fc.property(fc.array(record, { maxLength: 6 }), style, (records, how) => {
        expect(hitsRead(records.map((one) => written(one, how)).join(how.end))).toEqual(hitsIn(records));
      }),
    );
  });

  test('of any content is read without an error', () => {
    const entry = fc.oneof(
      fc.string(),
      fc
        .tuple(fc.constantFrom('SF', 'DA', 'BRDA', 'FN', 'FNDA', 'FNL', 'FNA', '__proto__'), fc.string())
        .map((words) => words.join(':')),
    );
    fc.assert(
      fc.property(fc.array(entry), (entries) => {
        for (const file of parseLcov(entries.join('\n')).values()) summarize(file);
      }),
    );
  });

  test('counts unreached branches and overflowed counters as not covered', () => {
    const [file] = parseLcov('SF:a.c\nDA:1,-7\nDA:2,1e3\nBRDA:3,0,0,-\nBRDA:3,0,1,2').values();
    expect(file && summarize(file)).toEqual({
      file: 'a.c',
      summary: {
        line_coverage_percent: 50,
        branch_coverage_percent: 50,
        function_coverage_percent: null,
        uncovered_lines: 1,
        uncovered_branches: 1,
        uncovered_functions: 0,
      },
      uncovered: { lines: [1], branches: [{ line: 3, block: 0, branch: 0 }], functions: [] },
    });
  });

  test('reads the line of a function also from LCOV 2, which adds its last line', () => {
    const [file] = parseLcov('SF:a.c\nFN:7,9,f(int, long)\nFNDA:0,f(int, long)\nFNDA:0,elsewhere').values();
    expect(file && summarize(file).uncovered.functions).toEqual([
      { name: 'f(int, long)', line: 7 },
      { name: 'elsewhere', line: null },
    ]);
  });
});

describe('a name', () => {
  const names = (tracefile: string, name: string): string[] =>
    filesNamed(parseLcov(tracefile), name).map(({ file }) => file);
  const tracefile = ['config.c', 'src/config.c', '/abs/src/main.c', './lib/x.c', 'win\\y.c']
    .map((file) => `SF:${file}\n`)
    .join('');

  test.each([
    ['config.c', ['config.c'], 'prefers a whole path to the ends of other paths'],
    ['src/config.c', ['src/config.c'], 'may be a path'],
    ['./src/config.c', ['src/config.c'], 'may begin with ./'],
    ['main.c', ['/abs/src/main.c'], 'may be the end of an absolute path'],
    ['ain.c', [], 'must begin at a separator'],
    ['x.c', ['lib/x.c'], 'finds paths that begin with ./'],
    ['win/y.c', ['win\\y.c'.replace('\\', '/')], 'finds paths of Windows'],
  ])('%s finds %j: it %s', (name, found) => {
    expect(names(tracefile, name)).toEqual(found);
  });

  test('finds all files with paths that end with it', () => {
    expect(names('SF:a/x.c\nSF:b/x.c', 'x.c')).toEqual(['a/x.c', 'b/x.c']);
  });
});

test('a percentage has one decimal, and is 0 or 100 only if it is exactly that', () => {
  expect([percentOf(0, 0), percentOf(0, 9), percentOf(9, 9)]).toEqual([null, 0, 100]);
  expect([percentOf(2, 3), percentOf(1999, 2000), percentOf(1, 9999)]).toEqual([66.7, 99.9, 0.1]);
});
