import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { REPOSITORY } from '../commands/project.js';

// Read, not built: there may be no Docker engine. What it runs (npm ci, build, engine keep) the other tests run.
const read = (file: string): string => readFileSync(join(REPOSITORY, file), 'utf8');
const instructions = read('Dockerfile')
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll('\\\n', ' ')
  .split('\n')
  .filter((line) => line !== '');
const arguments_ = (name: string): string[] =>
  instructions.flatMap((line) => (line.startsWith(`${name} `) ? [line.slice(name.length + 1)] : []));

test('all stages stand on one pinned Debian image of a supported Node, and none on Alpine', () => {
  expect(arguments_('ARG')).toEqual([expect.stringMatching(/^NODE=node:24\.\d+\.\d+-bookworm-slim$/)]);
  for (const base of arguments_('FROM')) expect(base).toMatch(/^\$\{NODE\}( AS \w+)?$/);
});

test('it runs as another user than root', () => {
  expect(arguments_('USER')).toEqual(['node']);
  // After the last instruction that needs root.
  const last = (name: string): number =>
    instructions.findLastIndex((instruction) => instruction.startsWith(`${name} `));
  expect(last('USER')).toBeGreaterThan(last('RUN'));
});

test('what supervisor and scenarios call is installed', () => {
  const install = arguments_('RUN').find((run) => run.includes('apt-get install')) ?? '';
  for (const name of ['git', 'procps', 'util-linux', 'coreutils', 'ca-certificates'])
    expect(install.split(/\s+/)).toContain(name);
});

test('what it copies is there, and .dockerignore lets that through and nothing else', () => {
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

test('the image holds all files of the package', () => {
  const { files } = JSON.parse(read('package.json')) as { files: string[] };
  const final = instructions.slice(instructions.findLastIndex((line) => line.startsWith('FROM ')));
  const copied = final.flatMap((line) => (line.startsWith('COPY ') ? line.split(' ').slice(1, -1) : []));
  expect(copied.map((source) => source.replace(/^\/src\//, ''))).toEqual(
    // What begins with `!` is left out of the package only.
    expect.arrayContaining(files.filter((file) => !file.startsWith('!'))),
  );
});
