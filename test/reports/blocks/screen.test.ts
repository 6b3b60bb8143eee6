import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { always, endItems, firstItems, fitScreen, type Item, type Part } from '../../../src/reports/blocks/screen.js';

const items = fc.array(fc.array(fc.constantFrom('a', 'bb'), { minLength: 1, maxLength: 3 }), {
  maxLength: 30,
});
const room = fc.integer({ min: 0, max: 40 });
const head = fc.constantFrom<Item>([], ['', 'title']);
const heightOf = (of: readonly Item[]): number => of.flat().length;

describe.each([
  ['firstItems', firstItems],
  ['endItems', (top: Item, all: readonly Item[], most: number) => endItems(top, all, '…', most)],
])('%s', (_, render) => {
  test('renders no more lines than there is room for, and everything if there is', () => {
    fc.assert(
      fc.property(head, items, room, (top, all, most) => {
        const { lines, leftOut } = render(top, all, most);
        expect(lines.length).toBeLessThanOrEqual(most);
        const isWhole = all.length === 0 || top.length + heightOf(all) <= most;
        expect(leftOut === 0).toBe(isWhole);
      }),
    );
  });
  test('what is shown and what is left out add up', () => {
    const numbered = fc
      .integer({ min: 0, max: 40 })
      .map((count) => Array.from({ length: count }, (_, at) => [`${at}`]));
    fc.assert(
      fc.property(numbered, room, (all, most) => {
        const { lines, leftOut } = render(['title'], all, most);
        expect(lines.filter((line) => /^\d/.test(line)).length + leftOut).toBe(all.length);
      }),
    );
  });
});

test('the items with the lowest ranks are kept, in their order', () => {
  const all = ['a', 'b', 'c', 'd'].map((text) => [text]);
  expect(firstItems([], all, 2, (index) => (index % 2 === 0 ? 1 : 0))).toEqual({
    lines: ['b', 'd'],
    leftOut: 2,
  });
});

test('the first and the last items are kept, and a line marks the gap', () => {
  const all = ['a', 'b', 'c', 'd', 'e'].map((text) => [text]);
  expect(endItems(['title'], all, '…', 5)).toEqual({ lines: ['title', 'a', 'b', '…', 'e'], leftOut: 2 });
});

describe('fitScreen', () => {
  const part = (name: string, count: number, importance: number, least = 0): Part => ({
    items: [name, `${name}s`],
    importance,
    least,
    render: (most) =>
      firstItems(
        [],
        Array.from({ length: count }, (_, at) => [`${name}-${at}`]),
        most,
      ),
  });
  const screen = { width: 80, seeAll: '--all shows them' };

  test('leaves out nothing that fits', () => {
    const lines = fitScreen([part('step', 3, 1), always(['end'])], { ...screen, height: 4 });
    expect(lines).toEqual(['step-0', 'step-1', 'step-2', 'end']);
  });
  test('takes lines from the least important part first, and says what is missing', () => {
    const parts = [part('command', 5, 2), part('step', 5, 1), always(['end'])];
    expect(fitScreen(parts, { ...screen, height: 8 })).toEqual([
      ...['command-0', 'command-1', 'command-2', 'command-3', 'command-4', 'step-0', 'end'],
      'not shown: 4 steps; --all shows them',
    ]);
    expect(fitScreen(parts, { ...screen, height: 4 })).toEqual([
      ...['command-0', 'command-1', 'end'],
      'not shown: 3 commands, 5 steps; --all shows them',
    ]);
  });
  test('a less important part keeps its least lines while a more important one has lines to lose', () => {
    const parts = [part('command', 9, 2, 3), part('step', 9, 1, 2)];
    const lines = fitScreen(parts, { ...screen, height: 6 });
    expect(lines.slice(0, 5)).toEqual(['command-0', 'command-1', 'command-2', 'step-0', 'step-1']);
  });
  test('counts a line that is longer than the terminal as several', () => {
    const lines = fitScreen([part('step', 9, 1), always(['x'.repeat(200)])], { ...screen, height: 6 });
    expect(lines).toHaveLength(4); // two steps, three rows of the long line, and the note
  });
  test('never exceeds the height, and shown and missing items add up', () => {
    const some = fc.array(fc.record({ count: fc.nat(30), importance: fc.nat(3), least: fc.nat(8) }), {
      maxLength: 5,
    });
    fc.assert(
      fc.property(some, fc.integer({ min: 2, max: 60 }), (given, height) => {
        const parts = given.map(({ count, importance, least }, at) => part(`p${at}x`, count, importance, least));
        const lines = fitScreen(parts, { width: 200, height });
        expect(lines.length).toBeLessThanOrEqual(height);
        const note = lines.find((line) => line.startsWith('not shown'));
        for (const [at, { count }] of given.entries()) {
          const missing = Number(new RegExp(`(\\d+) p${at}x`).exec(note ?? '')?.[1] ?? 0);
          const shown = lines.filter((line) => line.startsWith(`p${at}x-`)).length;
          expect(shown + missing).toBe(count);
        }
      }),
    );
  });
});
