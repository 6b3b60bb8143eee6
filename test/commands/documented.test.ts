import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { REPOSITORY } from './project.js';

const offered = async (...words: string[]): Promise<string[]> => {
  const { stdout } = await execa(join(REPOSITORY, 'dist/cli.js'), ['complete-words', ...words]);
  return stdout.split('\n').map((line) => line.split('\t')[0] ?? '');
};

test('specs/reference/commands.md has every verb and every option', async () => {
  const text = readFileSync(join(REPOSITORY, 'specs/reference/commands.md'), 'utf8');
  const verbs = await offered('');
  expect(verbs.length).toBeGreaterThan(10);
  const options = await Promise.all(
    [...verbs.map((verb) => [verb]), ['engine', 'start'], ['scripts', 'install-command']].map((verb) =>
      offered(...verb, '--'),
    ),
  );
  const isWritten = (name: string): boolean =>
    new RegExp(name.startsWith('-') ? `[\` ]${name}[\` ,]` : `^\\| .*\`${name}[\` ]`, 'm').test(text);
  const names = [...verbs, ...options.flat()].filter((name) => name !== '' && name !== ':files');
  expect([...new Set(names)].filter((name) => !isWritten(name))).toEqual([]);
});
