import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { EnvFileProblem, workerEnvironment } from '../../src/host/worker-environment.js';

const folder = mkdtempSync(join(tmpdir(), 'worker-environment-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('without a file, is the environment of the process', () => {
  const base = { PATH: '/bin' };
  expect(workerEnvironment({ base })()).toBe(base);
});

test('the file overrides the process, and is read again when it was replaced', () => {
  const envFile = join(folder, 'keys.env');
  writeFileSync(envFile, 'KEY=old\n');
  const read = workerEnvironment({ envFile, base: { PATH: '/bin', KEY: 'of the process' } });
  expect(read()).toEqual({ PATH: '/bin', KEY: 'old' });
  writeFileSync(`${envFile}.new`, 'KEY=new\n');
  renameSync(`${envFile}.new`, envFile);
  expect(read()).toEqual({ PATH: '/bin', KEY: 'new' });
});

test('a missing, damaged or half-written file is a problem that quotes no value, and may pass', () => {
  const envFile = join(folder, 'damaged.env');
  const read = workerEnvironment({ envFile, base: {} });
  expect(read).toThrow(EnvFileProblem);
  expect(read).toThrow(/damaged\.env/);
  writeFileSync(envFile, 'A=1\nKEY="sk-secret');
  expect(read).toThrow(/damaged\.env:2: the value has no closing "; write a complete file/);
  expect(read).not.toThrow(/sk-secret/);
  writeFileSync(envFile, '');
  expect(read).toThrow(/sets no variable/);
  writeFileSync(envFile, 'A=1\nKEY="sk-secret"');
  expect(read()).toEqual({ A: '1', KEY: 'sk-secret' });
});
