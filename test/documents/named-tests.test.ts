import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { REPOSITORY } from '../commands/project.js';
import { documents } from './documents.js';

interface NamedTest {
  file: string;
  /** A part of the title of the test; empty if the whole file is meant. */
  title: string;
}

/** `folder/file`, optionally with a colon and a part of the title of a test. */
const NAMED = /`([a-z\d-]+(?:\/[a-z\d-]+)+)`(?:: ([^;`|]+?)\s*(?=[;|]))?/g;

/** The source of a test file, and of the file of the same name that contains its tests if several files make them. */
const sourceOf = (file: string): string =>
  [`${file}.test.ts`, `${file}.slow.test.ts`, `${file}.ts`]
    .map((name) => join(REPOSITORY, 'test', name))
    .filter((path) => existsSync(path))
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n');

/** The tests named in the last column of the tables of a document. */
function testsNamedIn(document: string): NamedTest[] {
  const { text = '' } = documents.find(({ path }) => path === document) ?? {};
  return text
    .split('\n')
    .flatMap((line) => /\|[^|]*\|$/.exec(line)?.[0] ?? [])
    .flatMap((cell) => [...cell.matchAll(NAMED)])
    .map(([, file = '', title = '']) => ({ file, title }));
}

test.each(['specs/explanation/durability.md', 'specs/explanation/security.md', 'specs/reference/eliza-tests.md'])(
  'the test files that %s names exist',
  (document) => {
    const named = testsNamedIn(document);
    expect(named.length).toBeGreaterThan(5);
    const missing = named.filter(({ file }) => sourceOf(file) === '' && !existsSync(join(REPOSITORY, 'test', file)));
    expect(missing).toEqual([]);
  },
);

test('each line about what an agent can do without the sandbox names an existing test', () => {
  const missing = testsNamedIn('specs/explanation/security.md').filter(
    ({ file, title }) => title === '' || !sourceOf(file).includes(title),
  );
  expect(missing).toEqual([]);
});

const ELIZA = 'specs/reference/eliza-tests.md';

test('each requirement on ElizaOS files names an existing test', () => {
  const { text = '' } = documents.find(({ path }) => path === ELIZA) ?? {};
  const rows = text.split('\n').filter((line) => line.startsWith('|') && !/^\|(?: requirement| -)/.test(line));
  expect(rows.length).toBeGreaterThan(40);
  const without = rows.filter((row) => !row.match(NAMED));
  expect(without.map((row) => row.trim())).toEqual([]);
  const missing = testsNamedIn(ELIZA).filter(({ file, title }) => !sourceOf(file).includes(title));
  expect(missing).toEqual([]);
});
