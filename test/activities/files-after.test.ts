import fc from 'fast-check';
import { expect, test } from 'vitest';
import { filesIn } from '../../src/activities/commands/files-after.js';

const added = (path: string, start: string | null, bytes: number | null) =>
  ({ path, change: 'added', start, bytes }) as const;

test('a step leaves the files that the scenario wrote, changed or not, and those that were added', () => {
  const changes = {
    changed: [added('new.md', 'N', 1), { ...added('old.md', null, null), change: 'removed' as const }],
    more: 0,
    unchanged: ['a.md', 'long.md'],
  };
  const long = 'é'.repeat(20_000);
  expect(filesIn(changes, { 'a.md': 'A', 'long.md': long, 'old.md': 'O' })).toEqual({
    files: { 'new.md': 'N', 'a.md': 'A', 'long.md': `${'é'.repeat(8 * 1024)}…` },
    leftOut: 0,
    removed: ['old.md'],
  });
});

test('files that are no text, or too many, are counted', () => {
  fc.assert(
    fc.property(fc.nat(60), fc.nat(60), fc.nat(9), (changed, unchanged, more) => {
      const names = Array.from({ length: unchanged }, (_, at) => `u${at}`);
      const { files, leftOut } = filesIn(
        {
          changed: [
            added('image.bin', null, 9),
            ...Array.from({ length: changed }, (_, at) => added(`c${at}`, 'x', 1)),
          ],
          more,
          unchanged: [...names, 'nul.txt'],
        },
        { ...Object.fromEntries(names.map((name) => [name, 'x'])), 'nul.txt': 'a\0b' },
      );
      expect(Object.keys(files)).toHaveLength(Math.min(50, changed + unchanged));
      expect(Object.keys(files).length + leftOut).toBe(changed + unchanged + 2 + more);
    }),
  );
});
