import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { findTemporal, TEMPORAL_CLI_VERSION, TemporalNotFound } from '../../src/engine/find-temporal.js';
import { compileSources } from '../host/compiled.js';
import { script, temporalScript } from '../host/temporal-scripts.js';
import { newFolder, setEnv } from '../host/temporary.js';

const compiled = await compileSources();

const SYSTEM_PATH = '/usr/bin:/bin';

/** A proxy that does not exist keeps the downloader off the network. */
const OFFLINE = { env: { HTTPS_PROXY: 'http://127.0.0.1:9', https_proxy: 'http://127.0.0.1:9' } };

/** A slow `go` that "builds" into GOBIN and logs it. */
const fakeGo = (log: string): string =>
  `#!/bin/sh\necho "$@" >>'${log}'\nsleep 0.3\nprintf '%s' '${temporalScript('3.0.0')}' >"$GOBIN/temporal"\n`;

let folder: string;
let cached: string;

beforeEach(async () => {
  folder = await newFolder();
  cached = join(folder, 'cache', `temporal-${TEMPORAL_CLI_VERSION}`);
  setEnv({
    PATH: `${join(folder, 'bin')}:${SYSTEM_PATH}`,
    LLM_TOOL_TEST_TEMPORAL_BIN: undefined,
    LLM_TOOL_TEST_CACHE: join(folder, 'cache'),
  });
});

const find = async (): Promise<{ path: string; version: string; reports: string[] }> => {
  const reports: string[] = [];
  return { ...(await findTemporal((text) => reports.push(text))), reports };
};

const failure = async (): Promise<Error> => {
  const error: unknown = await find().catch((reason: unknown) => reason);
  if (error instanceof TemporalNotFound) return error;
  throw new Error(`not a TemporalNotFound: ${String(error)}`);
};

describe('the Temporal CLI', () => {
  it('is the one that the user names, if any', async () => {
    script(join(folder, 'bin', 'temporal'), temporalScript('2.0.0'));
    const mine = script(join(folder, 'mine'), temporalScript('1.29.1'));
    setEnv({ LLM_TOOL_TEST_TEMPORAL_BIN: mine });
    expect(await find()).toEqual({ path: mine, version: '1.29.1', reports: [] });
  });

  it('is the one on PATH rather than the one in the cache', async () => {
    const installed = script(join(folder, 'bin', 'temporal'), temporalScript('2.0.0'));
    script(cached, temporalScript('3.0.0'));
    expect(await find()).toEqual({ path: installed, version: '2.0.0', reports: [] });
  });

  it('is the one in the cache rather than a new one', async () => {
    script(join(folder, 'bin', 'go'), fakeGo(join(folder, 'log')));
    script(cached, temporalScript('3.0.0'));
    expect(await find()).toEqual({ path: cached, version: '3.0.0', reports: [] });
    expect(existsSync(join(folder, 'log'))).toBe(false);
  });

  it('is accepted even if its version is not understood', async () => {
    const mine = script(join(folder, 'mine'), '#!/bin/sh\necho something else\n');
    setEnv({ LLM_TOOL_TEST_TEMPORAL_BIN: mine });
    expect(await find()).toMatchObject({ version: 'unknown' });
  });

  it('is not a folder of that name on PATH', async () => {
    mkdirSync(join(folder, 'bin', 'temporal'), { recursive: true });
    script(cached, temporalScript('3.0.0'));
    expect(await find()).toMatchObject({ path: cached });
  });
});

describe('an unusable value of LLM_TOOL_TEST_TEMPORAL_BIN', () => {
  it.each([
    ['does not exist', () => join(folder, 'none')],
    ['is a folder', () => folder],
    ['cannot be executed', () => (writeFileSync(join(folder, 'text'), ''), join(folder, 'text'))],
    ['is not a program', () => script(join(folder, 'garbage'), '\0\0garbage')],
    ['fails', () => script(join(folder, 'failing'), '#!/bin/sh\necho wrong architecture >&2\nexit 3\n')],
  ])('is named in the error: it %s', async (_, make) => {
    script(join(folder, 'bin', 'temporal'), temporalScript('2.0.0'));
    const path = make();
    setEnv({ LLM_TOOL_TEST_TEMPORAL_BIN: path });
    expect((await failure()).message).toContain(path);
  });

  it('is reported with the output of the program', async () => {
    setEnv({
      LLM_TOOL_TEST_TEMPORAL_BIN: script(join(folder, 'failing'), '#!/bin/sh\necho wrong architecture >&2\nexit 3\n'),
    });
    expect((await failure()).message).toContain('wrong architecture');
  });
});

describe('without a Temporal CLI', () => {
  it('builds it once with Go into the cache, and says so', async () => {
    script(join(folder, 'bin', 'go'), fakeGo(join(folder, 'log')));
    const found = await find();
    expect(found).toMatchObject({ path: cached, version: '3.0.0' });
    expect(found.reports).toHaveLength(2);
    expect(found.reports[1]).toContain('with Go');
    expect(await find()).toMatchObject({ path: cached, reports: [] });
    expect(readFileSync(join(folder, 'log'), 'utf8')).toBe(
      `install github.com/temporalio/cli/cmd/temporal@v${TEMPORAL_CLI_VERSION}\n`,
    );
    expect(readdirSync(join(folder, 'cache')).filter((name) => !name.includes('.lock.'))).toEqual([
      `temporal-${TEMPORAL_CLI_VERSION}`,
    ]);
  });

  it('removes what a killed attempt left in the cache, but not what others keep there', async () => {
    script(join(folder, 'bin', 'go'), fakeGo(join(folder, 'log')));
    const dead = spawnSync('true').pid;
    for (const name of [`${cached}.${dead}`, `${cached}.${process.ppid}`, `${cached}.txt`])
      script(join(name, 'temporal'), 'half of it');
    await find();
    expect(existsSync(`${cached}.${dead}`)).toBe(false);
    expect(existsSync(`${cached}.${process.ppid}`)).toBe(true);
    expect(existsSync(`${cached}.txt`)).toBe(true);
  });

  it('builds it once for many concurrent calls', async () => {
    script(join(folder, 'bin', 'go'), fakeGo(join(folder, 'log')));
    const found = await Promise.all([find(), find(), find()]);
    expect(found.map(({ path }) => path)).toEqual([cached, cached, cached]);
    expect(readFileSync(join(folder, 'log'), 'utf8').trim().split('\n')).toHaveLength(1);
    expect(found.filter(({ reports }) => reports.some((text) => text.includes('waiting for another')))).toHaveLength(2);
  });

  it('builds it once for two concurrent processes', async () => {
    script(join(folder, 'bin', 'go'), fakeGo(join(folder, 'log')));
    const finder = compiled.program(`
      import { findTemporal } from './engine/find-temporal.js';
      console.log((await findTemporal(() => {})).path);`);
    const ends = await Promise.all([compiled.run(finder, [], OFFLINE), compiled.run(finder, [], OFFLINE)]);
    expect(ends.map(({ stdout }) => stdout)).toEqual([cached, cached]);
    expect(readFileSync(join(folder, 'log'), 'utf8').trim().split('\n')).toHaveLength(1);
  });

  it('if Go fails, says why and names the three ways to provide one', async () => {
    script(join(folder, 'bin', 'go'), '#!/bin/sh\necho "proxy.golang.org: no such host" >&2\nexit 1\n');
    const { message } = await failure();
    for (const part of [
      'proxy.golang.org: no such host',
      'TEMPORAL_ADDRESS',
      'LLM_TOOL_TEST_TEMPORAL_BIN',
      'install Go',
      'downloading',
    ]) {
      expect(message).toContain(part);
    }
    expect(readdirSync(join(folder, 'cache')).filter((name) => !name.includes('.lock.'))).toEqual([]);
  });

  it('without Go, says that too', async () => {
    const { message } = await failure();
    expect(message).toContain('go is not on PATH');
    expect(message).toContain('LLM_TOOL_TEST_TEMPORAL_BIN');
  });

  it('if the download fails, says why', async () => {
    const finder = compiled.program(`
      import { findTemporal } from './engine/find-temporal.js';
      await findTemporal(() => {}).catch((error) => console.log(error.message));`);
    const { stdout } = await compiled.run(finder, [], OFFLINE);
    expect(stdout).toMatch(/downloading Temporal CLI .*: .*failed to download/);
  });

  it('tries again after a failure', async () => {
    await failure();
    script(join(folder, 'bin', 'go'), fakeGo(join(folder, 'log')));
    expect(await find()).toMatchObject({ path: cached });
  });
});
