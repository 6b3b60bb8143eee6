import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';

const FUZZ = join(import.meta.dirname, '..', 'scripts', 'fuzz.js');

test('the loaders and parsers withstand twenty thousand hostile inputs, the same in each run', async () => {
  const { exitCode, stdout } = await execa(process.execPath, [FUZZ, '--runs', '20000', '--seed', '7'], {
    reject: false,
  });
  expect(stdout.match(/ 0 defects$/gm)?.length, stdout).toBeGreaterThan(15);
  expect(exitCode, stdout).toBe(0);
});

test('an input can be reproduced from its target and number', async () => {
  const make = (input: string) => execa(process.execPath, [FUZZ, '--target', 'variables', '--input', input]);
  expect((await make('4')).stdout.split('\n')[0]).toBe((await make('4')).stdout.split('\n')[0]);
});
