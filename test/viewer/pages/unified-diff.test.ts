import { expect, test } from 'vitest';
import { hunksOf, patchOf } from '../../../src/viewer/pages/unified-diff.js';
import type { DiffLine, FileChange } from '../../../src/viewer/protocol.js';

const same = (text: string): DiffLine => ({ kind: 'same', text });
const LINES: DiffLine[] = [
  { kind: 'gap', lines: 9 },
  same('ten'),
  { kind: 'removed', text: 'eleven' },
  { kind: 'added', text: 'ELEVEN' },
  { kind: 'added', text: 'more' },
  { kind: 'gap', lines: 5 },
  same('seventeen'),
  { kind: 'removed', text: 'eighteen' },
];
const change = (more: Partial<FileChange>): FileChange => ({
  ...{ path: 'notes.md', change: 'changed', bytes: 10, lines: LINES, note: null, ...more },
});

test('the headers of hunks have the numbers of lines before and after', () => {
  expect(hunksOf(LINES).map(({ header }) => header)).toEqual(['@@ -10,2 +10,3 @@', '@@ -17,2 +18,1 @@']);
});

test('a patch can be applied', () => {
  expect(patchOf(change({}))).toBe(
    [
      ...['--- a/notes.md', '+++ b/notes.md', '@@ -10,2 +10,3 @@', ' ten', '-eleven', '+ELEVEN', '+more'],
      ...['@@ -17,2 +18,1 @@', ' seventeen', '-eighteen', ''],
    ].join('\n'),
  );
  const added: DiffLine[] = [{ kind: 'added', text: 'one' }];
  expect(patchOf(change({ change: 'added', lines: added }))).toBe(
    '--- /dev/null\n+++ b/notes.md\n@@ -0,0 +1,1 @@\n+one\n',
  );
  expect(patchOf(change({ lines: null }))).toBeNull();
});
