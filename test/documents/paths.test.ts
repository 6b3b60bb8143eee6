import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { REPOSITORY } from '../commands/project.js';
import { documents } from './documents.js';

/** `a/{b,c}.ts` stands for `a/b.ts` and `a/c.ts`. */
function expand(path: string): string[] {
  const [whole = '', choices = ''] = /\{([^{}]*)\}/.exec(path) ?? [];
  if (whole === '') return [path];
  return choices.split(',').flatMap((choice) => expand(path.replace(whole, choice.trim())));
}

/** Paths in backquotes, relative to the repository, except for placeholders and examples in C. */
const pathsIn = (text: string): string[] =>
  [...text.replace(/^```[^]*?^```$/gm, '').matchAll(/`((?:src|test|scripts|specs)\/[^\s`]*)`/g)]
    .map(([, path = '']) => path)
    .filter((path) => !/[<>*…]|\.\.\.|\.c$/.test(path));

test('the files that the documents name exist', () => {
  const named = documents.flatMap(({ path, text }) =>
    pathsIn(text)
      .flatMap(expand)
      .map((file) => ({ path, file })),
  );
  expect(named.length).toBeGreaterThan(30);
  const missing = named.filter(({ file }) => !existsSync(join(REPOSITORY, file)));
  expect(missing.map(({ path, file }) => `${path}: ${file}`)).toEqual([]);
});

test('braces stand for each of their names', () => {
  expect(expand('src/a/{b,c}.ts')).toEqual(['src/a/b.ts', 'src/a/c.ts']);
  expect(expand('src/{a,b}/{c,d}')).toEqual(['src/a/c', 'src/a/d', 'src/b/c', 'src/b/d']);
});
