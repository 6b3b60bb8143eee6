import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cutText } from '../../../src/viewer/pages/cut-text.js';
import { selectionKey } from '../../../src/viewer/shared/configuration.js';
import { importantFirst, queryOf, selectionIn, selectRuns } from '../../../src/viewer/shared/selection.js';
import { listedRun } from './listed-run.js';

test('selects the runs of a cell of the matrix', () => {
  const runs = [listedRun({ id: 'a' }), listedRun({ id: 'b', scenario: 'stock' })];
  expect(selectRuns(runs, [], '')).toEqual(runs);
  expect(selectRuns(runs, [], selectionKey(listedRun({ scenario: 'stock' })))).toEqual(runs.slice(1));
});

test('shows what runs and what failed first', () => {
  const looks = ['pass', 'waiting', 'fail', 'running', 'error'];
  expect(importantFirst(looks.map((look) => ({ look }))).map(({ look }) => look)).toEqual([
    ...['running', 'fail', 'error', 'waiting', 'pass'],
  ]);
});

test('a selection survives the address', () => {
  const text = fc.string();
  const selection = fc.record({ filter: text, at: text, sort: text, columns: text, against: text });
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
