import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { chmod, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { findExecutable } from '../../../src/host/process/find-deno.js';
import { runCommand } from '../../../src/host/process/run-command.js';
import { spawnDetached } from '../../../src/host/process/spawn-detached.js';
import { waitUntil } from '../../../src/host/process/waiting.js';
import { compileSources } from '../compiled.js';
import {
  allGone,
  killProcess,
  killWhenFinished,
  processesWith,
  readProc,
  running,
  uniqueSeconds,
} from '../processes.js';
import { newFolder, setEnv } from '../temporary.js';

const compiled = await compileSources();
const PATH = process.env['PATH'] ?? '';

/** A program that records how and where it was started. */
async function recorder(): Promise<{
  folder: string;
  argv: string[];
  readRecord: () => Promise<string | null>;
}> {
  const folder = await newFolder();
  const program = join(folder, 'program');
  await writeFile(
    program,
    `#!/bin/sh
exec >record.tmp
pwd
printf '<%s>' "$@"
tr '\\0' '\\n' </proc/$$/environ
grep SigIgn /proc/$$/status
read -r stat </proc/$$/stat && echo "$stat" | cut -d ' ' -f 1,5,6
mv record.tmp record`,
  );
  await chmod(program, 0o755);
  const read = (): string | null => {
    try {
      return readFileSync(join(folder, 'record'), 'utf8');
    } catch {
      return null;
    }
  };
  return { folder, argv: [program], readRecord: () => waitUntil(read, 30_000, 10) };
}

const parentOf = (pid: number): number => Number(/PPid:\s+(\d+)/.exec(readProc(pid, 'status'))?.[1]);
const spawners = (parent: number): number[] => processesWith('spawn.pl').filter((pid) => parentOf(pid) === parent);

// Test files that ran in this process before may have left theirs.
beforeAll(async () => {
  for (const pid of spawners(process.pid)) killProcess(pid);
  expect(await waitUntil(() => (spawners(process.pid).length === 0 ? true : null), 10_000)).toBe(true);
});

it.each([
  ['through the small process', PATH, 1],
  ['directly if there is no perl', 'without perl', 0],
])('starts a program as requested, %s', async (_, path, helpers) => {
  const { folder, argv, readRecord } = await recorder();
  if (helpers === 0) {
    for (const name of ['sh', 'cut', 'grep', 'mv', 'tr']) await symlink(findExecutable(name) ?? '', join(folder, name));
    for (const pid of spawners(process.pid)) killProcess(pid);
    setEnv({ PATH: folder });
  }
  await spawnDetached({
    argv: [...argv, `it's "so"\n`, '', '$HOME ü'],
    cwd: folder,
    env: { PATH: helpers === 0 ? folder : path, ODD: 'a\nb=c', UID: '7', EMPTY: '' },
  });
  const text = (await readRecord()) ?? '';
  expect(text).toContain(`${folder}\n<it's "so"\n><><$HOME ü>`);
  for (const variable of ['ODD=a\nb=c\n', 'UID=7\n', 'EMPTY=\n']) expect(text).toContain(variable);
  expect(text).toMatch(/SigIgn:\s+0+\n(\d+) \1 \1\n$/);
  expect(spawners(process.pid)).toHaveLength(helpers);
});

it('replaces the small process if it was killed', async () => {
  const start = async (): Promise<void> => {
    const { folder, argv, readRecord } = await recorder();
    await spawnDetached({ argv, cwd: folder, env: { PATH } });
    expect(await readRecord()).not.toBeNull();
  };
  await start();
  const [first = 0] = spawners(process.pid);
  killProcess(first);
  await start();
  await start();
  expect(spawners(process.pid)).toHaveLength(1);
  expect(spawners(process.pid)).not.toContain(first);
});

it('when killed, leaves the program running but no small process', async () => {
  const seconds = uniqueSeconds();
  killWhenFinished(seconds);
  const starter = compiled.program(`
    import { spawnDetached } from './host/process/spawn-detached.js';
    await spawnDetached({ argv: ['sleep', '${seconds}'], cwd: '/', env: { PATH: process.env.PATH } });
    process.kill(process.pid, 'SIGKILL');`);
  await compiled.run(starter, []);
  await running(`sleep\0${seconds}`);
  expect(await allGone(compiled.file('host/process/supervisor/spawn.pl'))).toBe(true);
});

it('when killed, ends a command whose end it would have told, which counts neither as passed nor as failed', async () => {
  await spawnDetached({ argv: ['true'], cwd: '/', env: { PATH } });
  const seconds = uniqueSeconds();
  killWhenFinished(seconds);
  const request = { command: `sleep ${seconds}; exit 1`, cwd: '/', env: { PATH }, timeoutMs: 30_000 };
  const result = expect(runCommand(request)).rejects.toThrow('was killed');
  await running(`sleep\0${seconds}`);
  for (const pid of spawners(process.pid)) killProcess(pid);
  await result;
  expect(await allGone(seconds)).toBe(true);
});

it('lets a command be started directly if the small process has no room for it, and stays', async () => {
  await spawnDetached({ argv: ['true'], cwd: '/', env: { PATH } });
  const [pid = NaN] = spawners(process.pid);
  execFileSync('prlimit', ['--pid', String(pid), '--nofile=3']);
  const result = await runCommand({ command: 'echo done', cwd: '/', env: { PATH }, timeoutMs: 30_000 });
  expect(result).toMatchObject({ exitCode: 0, stdout: 'done\n' });
  expect(spawners(process.pid)).toEqual([pid]);
  killProcess(pid); // the next one has room
});

it('does not keep an idle process alive', async () => {
  const starter = compiled.program(`
    import { spawnDetached } from './host/process/spawn-detached.js';
    await spawnDetached({ argv: ['true'], cwd: '/', env: { PATH: process.env.PATH } });`);
  expect(await compiled.run(starter, [])).toMatchObject({ exitCode: 0, stderr: '' });
});

it('reports a command that is too long for the system', async () => {
  const command = { argv: ['true', 'x'.repeat(200_000)], cwd: '/', env: { PATH } };
  await expect(spawnDetached(command)).rejects.toMatchObject({ code: 'E2BIG' });
});
