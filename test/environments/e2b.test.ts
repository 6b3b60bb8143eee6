import { existsSync, readFileSync, statSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { e2b } from '../../src/environments/e2b/e2b.js';
import { findE2b, loadE2b, optionsFrom } from '../../src/environments/e2b/service.js';
import { MachineRefused } from '../../src/environments/machine/machine-refused.js';
import { accessFile, keepAccess } from '../../src/environments/e2b/sandbox-state.js';
import type { EnvironmentHandle } from '../../src/environments/environment.js';
import type { CloudSandbox } from '../../src/environments/machine/settings.js';
import { MachineGone } from '../../src/environments/machine/machine.js';
import { readRecord } from '../../src/environments/machine/machine-record.js';
import { until } from '../commands/project.js';
import { KEY, startE2bServer, whyNoSandboxes, type E2bServer } from './e2b-server.js';
import { confirmed, newPlace, write } from './places.js';

const lacking = await whyNoSandboxes();
if (lacking !== null) console.warn(`sandboxes of E2B are not tested here: ${lacking}`);
const { module } = findE2b([]);

describe.skipIf(lacking !== null)('a sandbox of E2B', () => {
  let server: E2bServer;
  beforeAll(async () => {
    server = await startE2bServer();
  });
  afterAll(() => server.close());
  afterEach(() => {
    server.faults.length = 0;
    server.onRequest.before = null;
  });

  async function place(more: Partial<CloudSandbox> = {}) {
    const { handle: here, fixture } = await newPlace();
    write(fixture, { 'given.txt': 'given' });
    const state = join(here.journal, '..');
    const sandbox: CloudSandbox = {
      template: 'base',
      timeoutSecs: 600,
      name: `llm-tool-test-${here.mark}`,
      module: module ?? '',
      access: accessFile(state),
      ...more,
    };
    await keepAccess(sandbox, server.env);
    const inside = { root: '/llm-tool-test', workspace: '/llm-tool-test/workspace' };
    const handle: EnvironmentHandle = { ...here, ...inside, type: 'e2b', sandbox };
    const ids = () =>
      server
        .list()
        .filter(({ metadata }) => metadata['llm-tool-test'] === sandbox.name)
        .map(({ id }) => id);
    onTestFinished(() => {
      for (const id of ids()) server.expire(id);
    });
    const contents = { fixture, files: {}, programs: {} };
    const prepare = (confirm = confirmed) => e2b.prepare(handle, contents, confirm);
    const run = (command: string, timeoutSecs = 30) =>
      e2b.exec(handle, { command, env: { PATH: '/usr/bin:/bin' }, timeoutSecs });
    return { handle, sandbox, state, ids, prepare, run };
  }

  it('replaces what a worker made that died before it could record it', async () => {
    const { sandbox, ids, prepare, run } = await place();
    const { Sandbox } = await loadE2b(sandbox.module);
    for (let number = 0; number < 2; number++)
      await Sandbox.create('base', {
        ...optionsFrom(server.env),
        timeoutMs: 600_000,
        metadata: { 'llm-tool-test': sandbox.name },
      });
    const left = ids();
    expect(left).toHaveLength(2);
    await prepare();
    expect(ids()).toHaveLength(1);
    expect(left).not.toContain(ids()[0]);
    expect((await run('cat given.txt')).stdout).toBe('given');
  });

  it('is found by its name, and ended, if a power failure has taken the record of its id', async () => {
    const { handle, state, ids, prepare } = await place();
    await prepare();
    expect((await readRecord(handle))?.id).toBe(ids()[0]);
    await writeFile(join(state, 'machine.json'), '');
    await e2b.dispose(handle);
    expect(ids()).toEqual([]);
  });

  it('is ended by the attempt that made it if another has taken over meanwhile', async () => {
    const { ids, prepare } = await place();
    let calls = 0;
    const confirm = () =>
      ++calls === 1 ? Promise.resolve() : Promise.reject(new Error('a later attempt has taken over'));
    await expect(prepare(confirm)).rejects.toThrow('taken over');
    expect([calls, ids()]).toEqual([2, []]);
  });

  it('is ended once, and its key is removed from the state with it', async () => {
    const { handle, sandbox, prepare } = await place();
    await prepare();
    expect(readFileSync(sandbox.access, 'utf8')).toContain(KEY);
    expect(statSync(sandbox.access).mode & 0o077).toBe(0);
    const { killed } = server.counts;
    await e2b.dispose(handle);
    await e2b.dispose(handle);
    expect(server.counts.killed).toBe(killed + 1);
    expect(existsSync(sandbox.access)).toBe(false);
  });

  it('that cannot be ended is named by its id, and ended by the next attempt', async () => {
    const { handle, sandbox, ids, prepare } = await place();
    await prepare();
    const [id = ''] = ids();
    server.faults.push({ method: 'DELETE', path: /sandboxes/, status: 500, times: 1 });
    await expect(e2b.dispose(handle)).rejects.toThrow(`cannot end the sandbox ${id} of E2B: 500`);
    expect(existsSync(sandbox.access)).toBe(true);
    await e2b.dispose(handle);
    expect(ids()).toEqual([]);
  });

  it('cannot be ended without the key, which is an error', async () => {
    const { handle, sandbox, ids, prepare } = await place();
    await prepare();
    await rm(sandbox.access);
    await expect(e2b.dispose(handle)).rejects.toThrow(`cannot end the sandbox ${ids()[0]} of E2B`);
  });

  it('that has ended counts as ended', async () => {
    const { handle, ids, prepare } = await place();
    await prepare();
    for (const id of ids()) server.expire(id);
    await e2b.dispose(handle);
    await e2b.dispose(handle);
  });

  it('that ends while a command runs in it makes the command an error, and its files unknown', async () => {
    const { handle, ids, prepare, run } = await place();
    await prepare();
    const [id = ''] = ids();
    const command = run('touch begun; sleep 600', 600).catch((error: unknown) => error);
    await until('the command', async () =>
      (await server.inside(id, 'ls /llm-tool-test/workspace/begun')) === '' ? null : true,
    );
    server.expire(id);
    const error = await command;
    expect(error).toBeInstanceOf(MachineGone);
    expect((error as Error).message).toContain(`the sandbox ${id} of E2B is gone`);
    await expect(run('true')).rejects.toThrow(MachineGone);
    await expect(e2b.lookInside(handle, 'given.txt')).rejects.toThrow(MachineGone);
    expect(await e2b.view(handle, () => Promise.resolve(true))).toBeNull();
  });

  it.each([
    ['before the agent is started', 1],
    ['before anything of the agent was copied', 2],
  ])('that ends %s makes the agent lost', async (_when, nth) => {
    const { handle, ids, prepare } = await place();
    await prepare();
    const [id = ''] = ids();
    let scripts = 0;
    server.onRequest.before = (_method, path) => {
      if (path.endsWith('/Start') && ++scripts === nth) server.expire(id);
    };
    const request = { argv: ['true'], env: {}, stdin: '', files: [], deadlineSecs: 60, idleSecs: null };
    await e2b.start(handle, { start: 1, ...request });
    expect(await e2b.inspect(handle, 1)).toEqual({ state: 'dead' });
    await prepare();
    expect(await e2b.inspect(handle, 1)).toEqual({ state: 'dead' });
    expect(scripts).toBeGreaterThanOrEqual(nth);
  });

  it('lives longer while it is used', async () => {
    const { ids, prepare, run } = await place({ timeoutSecs: 20 });
    await prepare();
    const [id = ''] = ids();
    const command = run('touch begun; until [ -e go ]; do sleep 0.1; done', 60);
    const begun = 'ls /llm-tool-test/workspace/begun';
    await until('the command', async () => ((await server.inside(id, begun)) === '' ? null : true));
    const endAt = () =>
      server
        .list()
        .find((one) => one.id === id)
        ?.endAt.getTime() ?? 0;
    const first = endAt();
    await until('a later end', () => (endAt() > first ? true : null));
    await server.inside(id, 'touch /llm-tool-test/workspace/go');
    expect((await command).exitCode).toBe(0);
  });

  it('keeps only the beginning of an endless output, and counts the rest', async () => {
    const { prepare, run } = await place();
    await prepare();
    const result = await run('yes 1234567 | head -c 30000000; echo err >&2; exit 3');
    expect(result).toMatchObject({ exitCode: 3, stdoutBytes: 30_000_000, stderr: 'err\n' });
    expect(result.stdout).toBe('1234567\n'.repeat(1024 * 128));
  });

  it('returns what was printed by a command that leaves its output open in the background', async () => {
    const { prepare, handle } = await place();
    await prepare();
    const result = await e2b.exec(handle, {
      command: 'echo up; sleep 600 &',
      env: { PATH: '/usr/bin:/bin' },
      timeoutSecs: 30,
      keepBackground: true,
    });
    expect(result).toMatchObject({ exitCode: 0, stdout: 'up\n', timedOut: false });
  });

  it('gets no secret as an argument of a process', async () => {
    const { handle, ids, prepare } = await place();
    await prepare();
    const [id = ''] = ids();
    const env = { PATH: '/usr/bin:/bin', SECRET: 'a-secret-value' };
    const command = e2b.exec(handle, {
      command: 'echo "$SECRET" >seen; until [ -e go ]; do sleep 0.1; done',
      env,
      timeoutSecs: 60,
    });
    const seen = 'cat /llm-tool-test/workspace/seen';
    await until('the command', async () => ((await server.inside(id, seen)) === '' ? null : true));
    expect(await server.inside(id, 'cat /proc/*/cmdline')).not.toContain('a-secret-value');
    await server.inside(id, 'touch /llm-tool-test/workspace/go');
    expect((await command).exitCode).toBe(0);
  });

  it('is not disturbed by what settings of the shell print', async () => {
    const { ids, prepare, run } = await place();
    await prepare();
    await server.inside(ids()[0] ?? '', 'echo "echo noise; echo noise >&2" >/etc/profile');
    expect(await run('cat given.txt')).toMatchObject({ stdout: 'given', stderr: '' });
  });

  it('is not reached if the connection fails, and is asked again', async () => {
    const { handle, prepare } = await place();
    await prepare();
    server.faults.push({ method: 'POST', path: /process/, status: 503, times: 2 });
    expect(await e2b.lookInside(handle, 'given.txt')).toMatchObject({ kind: 'file', bytes: 5 });
  });

  it('is refused with a wrong key or an unknown template, which trying again cannot change', async () => {
    const { sandbox, prepare } = await place();
    await keepAccess(sandbox, { ...server.env, E2B_API_KEY: 'wrong' });
    const wrong = await prepare().catch((error: unknown) => error);
    expect(wrong).toBeInstanceOf(MachineRefused);
    expect((wrong as Error).message).toContain('E2B refuses the key in E2B_API_KEY');
    const unknown = await (await place({ template: 'missing' })).prepare().catch((error: unknown) => error);
    expect(unknown).toBeInstanceOf(MachineRefused);
    expect((unknown as Error).message).toContain("from the template missing: 404: template 'missing'");
  });
});
