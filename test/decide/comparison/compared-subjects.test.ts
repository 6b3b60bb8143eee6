import { describe, expect, test } from 'vitest';
import type { Json } from '../../../src/lib/json.js';
import { compareSweeps, type SweepToCompare } from '../../../src/decide/comparison/compare-sweeps.js';
import { Comparison } from '../../../src/decide/comparison/document.js';
import { metrics } from '../../model/sample.js';
import { runInputs, sweepOf } from './sample.js';

const skill = (name: string, text = 'x'): Json => ({
  kind: 'skill',
  name,
  files: [{ path: 'SKILL.md', content: text }],
});

/** A sweep whose runs of the scenario `notes` sent these numbers of tokens first; absent: an older build. */
const sweep = (name: string, subject: Json[], sizes: (number | null | undefined)[]): SweepToCompare =>
  sweepOf(
    name,
    { notes: 'p'.repeat(sizes.length) },
    (_, repetition) => {
      const size = sizes[repetition - 1];
      const work = { tokens: 1, tool_calls: 1, actions: [] };
      return {
        metrics: metrics({
          agent_work: size === undefined ? work : { ...work, first_request_tokens: size },
        }),
      };
    },
    {
      scenarios: new Map([['notes', { scenario: { name: 'notes' }, ...(subject.length === 0 ? {} : { subject }) }]]),
    },
  );
const compare = (base: SweepToCompare, head: SweepToCompare): Comparison['subject_tokens'] =>
  Comparison.parse(compareSweeps(base, head, new Map())).subject_tokens;

describe('a comparison of two subjects', () => {
  test('names what only one side has, and the difference of the first requests', () => {
    const [none, both] = [sweep('a', [], [100, 100]), sweep('b', [skill('pdf'), skill('csv')], [160, 162])];
    expect(compare(none, both)).toMatchObject([
      { agent: 'mock', model: 'default', added: ['skill pdf', 'skill csv'], removed: [], difference: 61 },
    ]);
    expect(compare(both, none)).toMatchObject([{ added: [], removed: ['skill pdf', 'skill csv'], difference: -61 }]);
  });

  test('leaves out parts that both have, and names a part with another content on both sides', () => {
    const server: Json = { kind: 'mcp', server: { name: 'files', command: 'x' } };
    const base = sweep('a', [skill('pdf'), server], [100]);
    const head = sweep('b', [skill('pdf', 'longer'), server, { kind: 'instructions', text: 'y' }], [130]);
    expect(compare(base, head)).toMatchObject([
      { added: ['skill pdf', 'instructions'], removed: ['skill pdf'], difference: 30 },
    ]);
    expect(compare(sweep('a', [], [100]), sweep('b', [server], [101]))).toMatchObject([
      { added: ['MCP server files'] },
    ]);
  });

  test('has the tools of its servers, unless the other side has a server too', () => {
    const server: Json = { kind: 'mcp', server: { name: 'files', command: 'x' } };
    const told = (one: SweepToCompare): SweepToCompare => ({
      ...one,
      lines: one.lines.map((line) => {
        const work = { tokens: 1, tool_calls: 1, actions: [], mcp_tools: { count: 2, bytes: 70 } };
        return { ...line, metrics: metrics({ agent_work: work }) };
      }),
    });
    const [none, one] = [sweep('a', [], [undefined]), told(sweep('b', [server], [1]))];
    const two = told(sweep('c', [server, skill('pdf')], [1]));
    expect(compare(none, one)).toMatchObject([{ difference: null, mcp_tools: { count: 2, bytes: 70 } }]);
    expect(compare(one, none)).toMatchObject([{ removed: ['MCP server files'], mcp_tools: { bytes: 70 } }]);
    expect(compare(one, two)).toBeUndefined(); // nothing is known of the skill
  });

  test.each<[string, Partial<SweepToCompare>]>([
    ['the prompt', { scenarios: new Map([['notes', { scenario: { steps: { agent: { prompt: 'longer' } } } }]]) }],
    ['the fixture', { scenarios: new Map([['notes', { scenario: { name: 'notes' }, fixture: 'f2' }]]) }],
    ['the settings of the agent', { agents: { mock: { args: ['-x'] } } }],
    ['the version of the agent', { runInputs: new Map([['b-notes-1', runInputs({ agent_version: '2' })]]) }],
  ])('is unknown if %s differs too, which may be the cause', (_, change) => {
    const base = sweep('a', [], [100]);
    const head = { ...sweep('b', [], [150]), ...change };
    const scenarios = new Map(
      [...head.scenarios].map(([name, of]) => [name, { ...(of as object), subject: [skill('pdf')] }]),
    );
    expect(compare(base, { ...head, scenarios })).toMatchObject([
      { added: ['skill pdf'], difference: null, scenarios: [{ comparable: false, difference: null }] },
    ]);
  });

  test('is not put down to other causes if one side has no results yet', () => {
    const [base, head] = [sweep('a', [], [100]), sweep('b', [skill('pdf')], [150])];
    const pairs = [
      [{ ...base, lines: [] }, head],
      [base, { ...head, lines: [] }],
    ] as const;
    for (const [before, after] of pairs)
      expect(compare(before, after)).toMatchObject([
        { added: ['skill pdf'], difference: null, scenarios: [{ comparable: true, difference: null }] },
      ]);
  });

  test('is absent if the subjects are alike, or all results are of older builds', () => {
    expect(compare(sweep('a', [skill('pdf')], [1]), sweep('b', [skill('pdf')], [2]))).toBeUndefined();
    expect(compare(sweep('a', [], [undefined]), sweep('b', [skill('pdf')], [undefined]))).toBeUndefined();
  });

  test('is unknown if one side is of an older build, and stays so whatever the other one has', () => {
    expect(compare(sweep('a', [], [undefined]), sweep('b', [skill('pdf')], [150]))).toMatchObject([
      { difference: null, scenarios: [{ base: { runs: 0, unknown: 0 }, head: { tokens: 150, runs: 1 } }] },
    ]);
  });
});
