import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { REPOSITORY } from '../commands/project.js';

// The file is only read: there may be no Docker engine. Other tests run its commands (npm ci, build, engine keep).
const read = (file: string): string => readFileSync(join(REPOSITORY, file), 'utf8');
const instructions = read('image/Dockerfile')
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll('\\\n', ' ')
  .split('\n')
  .filter((line) => line !== '');
const arguments_ = (name: string): string[] =>
  instructions.flatMap((line) => (line.startsWith(`${name} `) ? [line.slice(name.length + 1)] : []));

test('all stages of the Dockerfile use one pinned Debian image with a supported Node, and none uses Alpine', () => {
  expect(arguments_('ARG')).toEqual([expect.stringMatching(/^NODE=node:24\.\d+\.\d+-bookworm-slim$/)]);
  for (const base of arguments_('FROM')) expect(base).toMatch(/^\$\{NODE\}( AS \w+)?$/);
});

test('the image does not run as root', () => {
  expect(arguments_('USER')).toEqual(['node']);
  // USER comes after the last instruction that needs root.
  const last = (name: string): number =>
    instructions.findLastIndex((instruction) => instruction.startsWith(`${name} `));
  expect(last('USER')).toBeGreaterThan(last('RUN'));
});

test('the programs that supervisor and scenarios call are installed', () => {
  const install = arguments_('RUN').find((run) => run.includes('apt-get install')) ?? '';
  for (const name of ['git', 'procps', 'util-linux', 'coreutils', 'ca-certificates'])
    expect(install.split(/\s+/)).toContain(name);
});

test('the files that the Dockerfile copies exist, and .dockerignore admits only these', () => {
  const copied = arguments_('COPY')
    .filter((line) => !line.startsWith('--from'))
    .flatMap((line) => line.split(' ').slice(0, -1));
  for (const source of copied) expect(existsSync(join(REPOSITORY, source)), source).toBe(true);
  const [first, ...through] = read('.dockerignore')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  expect(first).toBe('*');
  expect(through.map((line) => line.slice(1)).sort()).toEqual([...new Set(copied)].sort());
});

test('the image contains all files of the package', () => {
  const { files } = JSON.parse(read('package.json')) as { files: string[] };
  const final = instructions.slice(instructions.findLastIndex((line) => line.startsWith('FROM ')));
  const copied = final.flatMap((line) => (line.startsWith('COPY ') ? line.split(' ').slice(1, -1) : []));
  expect(copied.map((source) => source.replace(/^\/src\//, ''))).toEqual(
    // Entries that begin with `!` are only left out of the package.
    expect.arrayContaining(files.filter((file) => !file.startsWith('!'))),
  );
});
