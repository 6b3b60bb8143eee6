import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { waitUntil } from '../../src/host/process/waiting.js';
import { env, privateCopy, type PrivateCopy } from './private-copy.js';
import { readmeOf } from './readme.js';

const stateIn = async ({ folder }: PrivateCopy): Promise<unknown> =>
  JSON.parse(await readFile(join(folder, '.tasks/state.json'), 'utf8'));

/** For processes that must get somewhere: only one that hangs takes longer, however busy the machine is. */
const HANGS_MS = 240_000;
const ROUNDS = 6;
const AT_ONCE = 12;

// Processes start one after the other: to race, they have to wait for each other.
const RACER = `
Deno.writeTextFileSync('.tasks/ready-' + Deno.pid, '');
for (;;) {
  try {
    Deno.statSync('.tasks/go');
    break;
  } catch {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
await import('../task-start/run.ts');`;

test(`of ${AT_ONCE} processes that start the same task at once, exactly one succeeds`, async () => {
  const copy = await privateCopy();
  const [tasks, numbers] = [join(copy.folder, '.tasks'), ['1', '1.1', '2']];
  await copy.write('.agents/scripts/racer/run.ts', RACER);
  for (const number of numbers) await copy.write(`.tasks/${number}-work.md`, '');
  for (let round = 0; round < ROUNDS; round += 1) {
    const number = numbers[round % numbers.length] ?? '';
    const pending = { current: number, status: 'pending', last_verified: null };
    await copy.write('.tasks/state.json', JSON.stringify(pending));
    const command = readmeOf('task-start').command.replace('task-start', 'racer');
    const racers = Promise.all(Array.from({ length: AT_ONCE }, () => copy.command(command, [number])));
    const ready = await waitUntil(async () => ((await readyIn(tasks)).length === AT_ONCE ? true : null), HANGS_MS);
    await copy.write('.tasks/go', '');
    const codes = (await racers).map(({ document }) => document.code ?? 'started').toSorted();
    expect(ready).toBe(true);
    expect(codes).toEqual([...Array<string>(AT_ONCE - 1).fill('ALREADY_IN_PROGRESS'), 'started']);
    expect(await stateIn(copy)).toEqual({ ...pending, status: 'in_progress' });
    for (const name of ['go', ...(await readyIn(tasks))]) await rm(join(tasks, name));
  }
});

const readyIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder)).filter((name) => name.startsWith('ready-'));

// Writes endlessly, and so much that a kill mostly hits during a write.
const WRITER = `
import { changeState } from '../../lib/tasks/state-file.ts';
import type { State } from '../../lib/tasks/state.ts';
for (;;) {
  const state: State = { current: '1', status: 'in_progress', last_verified: null };
  changeState('.tasks', () => ({ state: { ...state, padding: 'x'.repeat(1_000_000) } }));
}`;
const KILLS = 10;

test('a process that is killed while it writes leaves a complete state and no lock', async () => {
  const copy = await privateCopy('task-done');
  await copy.write('.agents/scripts/writer/run.ts', WRITER);
  const permissions = ['--allow-read=.tasks', '--allow-write=.tasks'];
  for (let kill = 0; kill < KILLS; kill += 1) {
    await copy.write('.tasks/state.json', '{"current": "1", "status": "pending"}');
    const writer = spawn('deno', ['run', ...permissions, '.agents/scripts/writer/run.ts'], {
      cwd: copy.folder,
      env: { ...process.env, ...env },
    });
    const wrote = await waitUntil(async () => ('padding' in Object(await stateIn(copy)) ? true : null), HANGS_MS, 5);
    expect(wrote).toBe(true);
    await sleep(Math.random() * 30);
    writer.kill('SIGKILL');
    await once(writer, 'exit');
    expect(await stateIn(copy)).toMatchObject({ current: '1', status: 'in_progress' });
  }
  expect((await copy.script('task-done')).document.success).toBe(true);
});
