import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  sweepEnvFile,
  sweepEnvFrom,
  readSweepEnv,
  removeSweepEnv,
  writeSweepEnv,
} from '../../../src/host/security/sweep-env.js';
import { newFolder } from '../temporary.js';

it('takes the variables that every program needs, and of the others only the named ones', () => {
  const environment = {
    PATH: '/bin',
    LANG: 'C',
    LC_ALL: 'C.UTF-8',
    https_proxy: 'http://proxy',
    NO_PROXY: 'localhost',
    HOME: '/home/me',
    API_KEY: 'key',
    OTHER_KEY: 'other',
    EMPTY: '',
    MYPATH: 'x',
    PATH_2: 'x',
    AWS_SECRET_ACCESS_KEY: 'x',
    ABSENT: undefined,
  };
  expect(sweepEnvFrom(environment, ['API_KEY', 'EMPTY', 'ABSENT', 'NOWHERE', 'toString'])).toEqual({
    base: { PATH: '/bin', LANG: 'C', LC_ALL: 'C.UTF-8', https_proxy: 'http://proxy', NO_PROXY: 'localhost' },
    values: { API_KEY: 'key', EMPTY: '' },
  });
});

it('accepts a variable with a dangerous name', async () => {
  const state = await newFolder();
  const environment = JSON.parse('{"__proto__":"p","constructor":"c"}') as NodeJS.ProcessEnv;
  const { values } = sweepEnvFrom(environment, ['__proto__', 'constructor']);
  await writeSweepEnv(state, 's', { base: {}, values });
  expect((await readSweepEnv(state, 's'))?.values['constructor']).toBe('c');
});

it('is a file that only the user can read, in a folder that only the user can enter', async () => {
  const state = await newFolder();
  await writeSweepEnv(state, 'sweep-1', { base: { PATH: '/bin' }, values: { KEY: 'a\n"b' } });
  expect(statSync(join(state, 'env')).mode & 0o777).toBe(0o700);
  expect(readdirSync(join(state, 'env'))).toEqual(['sweep-1.json']);
  expect(statSync(join(state, 'env', 'sweep-1.json')).mode & 0o777).toBe(0o600);
  expect(await readSweepEnv(state, 'sweep-1')).toEqual({ base: { PATH: '/bin' }, values: { KEY: 'a\n"b' } });
});

it('can be removed several times, and is null if there is none', async () => {
  const state = await newFolder();
  expect(await readSweepEnv(state, 'sweep-1')).toBeNull();
  await writeSweepEnv(state, 'sweep-1', { base: {}, values: {} });
  await removeSweepEnv(state, 'sweep-1');
  await removeSweepEnv(state, 'sweep-1');
  expect(await readSweepEnv(state, 'sweep-1')).toBeNull();
  expect(readdirSync(join(state, 'env'))).toEqual([]);
});

it('is named but not quoted if it is damaged, since the message gets into the history', async () => {
  const folder = await newFolder();
  await writeSweepEnv(folder, 'sweep', { base: {}, values: { KEY: 'a-secret-value' } });
  const file = sweepEnvFile(folder, 'sweep');
  for (const text of ['{"values":{"KEY":"a-secret-value"', '{"values":{"KEY":"a-secret-value"}}', 'a-secret-value']) {
    writeFileSync(file, text);
    const error: unknown = await readSweepEnv(folder, 'sweep').catch((reason: unknown) => reason);
    expect(String(error)).toContain(`${file} is damaged`);
    expect(String(error)).not.toContain('secret');
  }
});
