import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { SweepCell } from '../../../src/decide/documents/sweep-document.js';
import { cutText } from '../../../src/viewer/pages/cut-text.js';
import { selectionKey, queryOf, selectionIn, selectRuns } from '../../../src/viewer/shared/select-runs.js';

const cell = (id: string, more: Partial<SweepCell>): SweepCell => ({
  id,
  scenario: 'notes',
  agent: 'mock',
  model: 'default',
  variant: 'default',
  repetition: 1,
  outcome: 'pass',
  message: null,
  gates_passed: null,
  gates_total: null,
  judge_score: null,
  composite_score: null,
  cost_usd: null,
  duration_secs: null,
  attempts: 1,
  starts: 1,
  regressions: [],
  cached: false,
  results_dir: null,
  ...more,
});
const CELLS = [
  cell('a', {}),
  cell('b', { outcome: 'fail', agent: 'codex', model: 'large' }),
  cell('c', {
    outcome: null,
    scenario: 'stock',
    human: {
      score: null,
      points: null,
      max: null,
      labels: ['flaky-env'],
      notes: null,
      reviewer: null,
      problem: null,
    },
  }),
];
const idsFor = (query: string): string[] =>
  selectRuns(CELLS, selectionIn(new URLSearchParams(query)), { b: 'report.md is missing' }).map(({ id }) => id);

test('selects by outcome, agent, scenario, label, place in the matrix and words, of reasons too', () => {
  expect(idsFor('')).toEqual(['a', 'b', 'c']);
  expect(idsFor('outcome=fail')).toEqual(['b']);
  expect(idsFor('outcome=waiting')).toEqual(['c']);
  expect(idsFor('agent=codex/large')).toEqual(['b']);
  expect(idsFor('scenario=stock')).toEqual(['c']);
  expect(idsFor('label=flaky-env')).toEqual(['c']);
  expect(idsFor('label=flaky')).toEqual([]);
  expect(idsFor(`at=${encodeURIComponent(selectionKey(CELLS[0] as SweepCell))}`)).toEqual(['a']);
  expect(idsFor('text=MISSING codex')).toEqual(['b']);
  expect(idsFor('text=missing mock')).toEqual([]);
});

test('a selection survives the address', () => {
  const text = fc.string();
  const selection = fc.record({ outcome: text, agent: text, scenario: text, label: text, text, at: text });
  fc.assert(
    fc.property(selection, (wanted) => {
      expect(selectionIn(new URLSearchParams(queryOf(wanted).slice(1)))).toEqual(wanted);
    }),
  );
});

test('cuts texts with many lines or long ones, and says what is left out', () => {
  expect(cutText('a\nb\n', 2)).toEqual({ shown: 'a\nb', rest: null });
  expect(cutText('a\nb\nc\nd', 2)).toEqual({ shown: 'a\nb', rest: '2 more lines' });
  expect(cutText('a\nb\nc', 2).rest).toBe('1 more line');
  expect(cutText('x'.repeat(5000), 2)).toEqual({ shown: `${'x'.repeat(1000)}…`, rest: 'long lines' });
  expect(cutText('\u001b[31mred\u001b[0m \u202eabc\0', 2).shown).toBe('red abc');
});
