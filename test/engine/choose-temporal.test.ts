import { rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { chooseTemporal } from '../../src/engine/ensure-server.js';
import { databaseFile, type EngineState } from '../../src/engine/engine-state.js';
import { TemporalNotFound, type TemporalExecutable } from '../../src/engine/find-temporal.js';
import { script, temporalScript } from '../host/temporal-scripts.js';
import { newFolder, setEnv } from '../host/temporary.js';

let state: string;
/** The program on PATH, of another version than the database. */
let onPath: TemporalExecutable;
/** The program that created the database. */
let pinned: TemporalExecutable;

beforeEach(async () => {
  const folder = await newFolder();
  state = await newFolder();
  onPath = { path: script(join(folder, 'bin', 'temporal'), temporalScript('2.0.0')), version: '2.0.0' };
  pinned = { path: script(join(folder, 'old', 'temporal'), temporalScript('1.0.0')), version: '1.0.0' };
  setEnv({
    PATH: `${join(folder, 'bin')}:/usr/bin:/bin`,
    LLM_TOOL_TEST_TEMPORAL_BIN: undefined,
    LLM_TOOL_TEST_CACHE: join(folder, 'cache'),
  });
});

type Known = Pick<EngineState, 'temporal' | 'versions'>;
const known = (temporal: TemporalExecutable | null, version: string | null = null): Known => ({
  temporal,
  versions: { temporal: version, llm_tool_test: '0.1.0' },
});
const NOTHING = known(null);
const choose = (of: Known): Promise<TemporalExecutable> => chooseTemporal(state, of, () => undefined);

/** The database of a server of this version, last written `age` seconds ago. */
function database(version: string, age = 0): string {
  const file = databaseFile(state, version);
  writeFileSync(file, '');
  const at = Date.now() / 1000 - age;
  utimesSync(file, at, at);
  return file;
}
async function refusal(of: Known): Promise<string> {
  const error: unknown = await choose(of).catch((reason: unknown) => reason);
  if (error instanceof TemporalNotFound) return error.message;
  throw new Error(`not a TemporalNotFound: ${String(error)}`);
}

test('takes the program that created the database, no matter what PATH has and has created since', async () => {
  database('1.0.0', 60);
  database('2.0.0');
  expect(await choose(known(pinned))).toEqual(pinned);
});

test('takes the program that created the database, even if the user names a program of another version', async () => {
  database('1.0.0');
  setEnv({ LLM_TOOL_TEST_TEMPORAL_BIN: onPath.path });
  expect(await choose(known(pinned))).toEqual(pinned);
});

test('prefers a program of the same version that the user names', async () => {
  database('1.0.0');
  const mine = script(join(state, 'mine'), temporalScript('1.0.0'));
  setEnv({ LLM_TOOL_TEST_TEMPORAL_BIN: mine });
  expect(await choose(known(pinned))).toEqual({ path: mine, version: '1.0.0' });
});

test.each([
  ['is gone', (path: string) => rmSync(path)],
  ['now has another version', (path: string) => script(path, temporalScript('1.5.0'))],
  ['does not answer', (path: string) => script(path, '#!/bin/sh\nexit 1\n')],
])('if that program %s, accepts one of the same version on PATH and refuses another version', async (_, change) => {
  const file = database('1.0.0');
  change(pinned.path);
  const message = await refusal(known(pinned));
  expect(message).toContain('was made by Temporal server 1.0.0');
  expect(message).toContain(`${onPath.path} is 2.0.0`);
  expect(message).toContain('Set LLM_TOOL_TEST_TEMPORAL_BIN to a Temporal CLI with server 1.0.0');
  expect(message).toContain(`if no sweep is open, delete ${file}`);
  script(onPath.path, temporalScript('1.0.0'));
  expect(await choose(known(pinned))).toEqual({ path: onPath.path, version: '1.0.0' });
});

test('the advice of the message works: naming a program of that version, or deleting the database', async () => {
  const file = database('1.0.0');
  await refusal(NOTHING);
  setEnv({ LLM_TOOL_TEST_TEMPORAL_BIN: pinned.path });
  expect(await choose(NOTHING)).toEqual(pinned);
  setEnv({ LLM_TOOL_TEST_TEMPORAL_BIN: undefined });
  rmSync(file);
  expect(await choose(NOTHING)).toEqual(onPath);
});

test('the state of an engine of an older build, which only has the version, counts too', async () => {
  database('1.0.0');
  database('2.0.0');
  expect(await refusal(known(null, '1.0.0'))).toContain('Temporal server 1.0.0');
});

test('without a state of the engine, the database that was written last gives the version', async () => {
  database('1.0.0', 60);
  const other = database('2.0.0', 30);
  expect(await choose(NOTHING)).toEqual(onPath);
  database('1.0.0', 10);
  // The log that SQLite keeps next to a database is not a database.
  writeFileSync(`${other}-wal`, '');
  expect(await refusal(NOTHING)).toContain('Temporal server 1.0.0');
});

test('without a database of that version, a new engine takes any program', async () => {
  expect(await choose(NOTHING)).toEqual(onPath);
  expect(await choose(known(pinned))).toEqual(onPath);
});
