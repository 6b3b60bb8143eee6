import { describe, expect, test } from 'vitest';
import { type SubjectSides, subjectTokens } from '../../../src/model/subject-tokens.js';
import { blocks } from '../../../src/reports/blocks/markdown.js';
import { subjectGrid, subjectTable } from '../../../src/reports/sweep/tables.js';

const sides = (change: Partial<SubjectSides> = {}): SubjectSides => ({
  scenario: 's',
  variant: 'default',
  agent: 'codex',
  model: 'gpt',
  added: ['skill pdf'],
  removed: [],
  base: [9564, 9564],
  head: [9640],
  tools: [],
  comparable: true,
  ...change,
});
const rowsOf = (...all: Partial<SubjectSides>[]) => subjectTable(subjectTokens(all.map(sides))).rows;
const textOf = (...all: Partial<SubjectSides>[]) => rowsOf(...all)[0]?.[0];

describe('the context cost', () => {
  test('is stated with both sizes and the runs of each side', () => {
    expect(rowsOf({})).toEqual([['skill pdf adds 76 tokens', 'codex/gpt', '9,564', '9,640', '2 and 1']]);
  });

  test.each([
    [{ added: ['skill pdf', 'instructions'] }, 'skill pdf and instructions add 76 tokens'],
    [{ added: ['instructions'] }, 'instructions add 76 tokens'],
    [{ base: [9639] }, 'skill pdf adds 1 token'],
    [{ base: [9640] }, 'skill pdf adds no tokens'],
    [{ base: [9650] }, 'with skill pdf: 10 tokens fewer'],
    [{ base: [9639, 9630] }, 'skill pdf adds 5.5 tokens'],
    [{ added: [], removed: ['skill pdf'], head: [9500] }, 'without skill pdf: 64 tokens fewer'],
    [{ removed: ['skill csv'] }, 'skill pdf instead of skill csv: 76 tokens more'],
    [{ removed: ['skill pdf'], base: [9640] }, 'changed skill pdf: as many tokens'],
  ])('%j is "%s"', (change, text) => {
    expect(textOf(change)).toBe(text);
  });

  test('is not a number where it is not known, and says of how many runs it is', () => {
    expect(rowsOf({ head: [null, null] })).toEqual([
      ['what skill pdf adds is not known', 'codex/gpt', '9,564', 'n/a', '2 and 0 of 2'],
    ]);
    expect(textOf({ comparable: false })).toBe('what skill pdf adds is not known: other inputs differ too');
    expect(textOf({ added: [], removed: ['skill pdf'], head: [null] })).toBe('what skill pdf adds is not known');
  });

  test('has what the definitions of tools take in a column of its own, also where tokens are not known', () => {
    const server = {
      agent: 'mock',
      added: ['MCP server files'],
      base: [],
      head: [],
      tools: [
        { count: 1, bytes: 90 },
        { count: 5, bytes: 1234 },
      ],
    };
    const { columns, rows } = subjectTable(subjectTokens([sides(), sides(server)]));
    expect(columns.at(-1)).toBe('tool definitions');
    expect(rows.map((row) => [row[0], row.at(-1)])).toEqual([
      ['skill pdf adds 76 tokens', ''],
      ['what MCP server files adds is not known', '5 tools, 1,234 bytes'],
    ]);
    expect(rowsOf({ ...server, tools: server.tools.slice(0, 1) })[0]?.at(-1)).toBe('1 tool, 90 bytes');
  });

  test('of several scenarios has their range, and no sizes, since the prompts differ', () => {
    expect(rowsOf({ scenario: 'a' }, { scenario: 'b', base: [100], head: [180] })).toEqual([
      ['skill pdf adds 78 tokens; 76 to 80 in 2 scenarios', 'codex/gpt', '', '', '3 and 2'],
    ]);
    expect(textOf({ scenario: 'a' }, { scenario: 'b' })).toBe('skill pdf adds 76 tokens');
  });

  test('is harmless in a terminal and in Markdown, whatever a skill is called', () => {
    const grid = subjectGrid(subjectTokens([sides({ added: ['skill \u001b[31m|x'] })]));
    expect(grid.rows[0]?.[0]).not.toContain('\u001b');
    expect(blocks([grid])).toContain('\\|x adds 76 tokens');
    expect(blocks([subjectGrid(undefined)])).toBe('\n');
  });
});
