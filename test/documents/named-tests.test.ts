import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { REPOSITORY } from '../commands/project.js';
import { documents } from './documents.js';

interface NamedTest {
  file: string;
  /** A part of the test's name; empty where the whole file is meant. */
  title: string;
}

/** `folder/file`, and after a colon a part of a test's name. */
const NAMED = /`([a-z-]+\/[a-z-]+)`(?:: ([^;`|]+?)\s*(?=[;|]))?/g;

/** The tests that the last column of a document's tables names. */
function testsNamedIn(document: string): NamedTest[] {
  const { text = '' } = documents.find(({ path }) => path === document) ?? {};
  return text
    .split('\n')
    .flatMap((line) => /\|[^|]*\|$/.exec(line)?.[0] ?? [])
    .flatMap((cell) => [...cell.matchAll(NAMED)])
    .map(([, file = '', title = '']) => ({ file, title }));
}

test.each(['specs/explanation/durability.md', 'specs/explanation/security.md'])(
  'the test files that %s names are there',
  (document) => {
    const named = testsNamedIn(document);
    expect(named.length).toBeGreaterThan(5);
    const folder = join(REPOSITORY, 'test');
    const missing = named.filter(
      ({ file }) => !existsSync(join(folder, `${file}.test.ts`)) && !existsSync(join(folder, file)),
    );
    expect(missing).toEqual([]);
  },
);

test('each line of what an agent can do without the sandbox names a test that is there', () => {
  const missing = testsNamedIn('specs/explanation/security.md').filter(
    ({ file, title }) =>
      title === '' || !readFileSync(join(REPOSITORY, 'test', `${file}.test.ts`), 'utf8').includes(title),
  );
  expect(missing).toEqual([]);
});
