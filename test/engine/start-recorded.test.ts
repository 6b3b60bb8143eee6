import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { startRecorded, waitForExit } from '../../src/engine/server.js';
import { isAlive, type ProcessIdentity } from '../../src/host/process/process-identity.js';
import { compileSources } from '../host/compiled.js';
import { newFolder } from '../host/temporary.js';

const compiled = await compileSources();

let log: string;
let ran: string;

beforeEach(async () => {
  const folder = await newFolder();
  log = join(folder, 'log');
  ran = join(folder, 'ran');
});

/** A program that writes down its pid. */
const program = () => ({ command: 'sh', args: ['-c', 'echo $$ >"$0"', ran], log, env: process.env });

describe('a program that is recorded before it runs', () => {
  it('runs as the recorded process, and only after it was recorded', async () => {
    let recorded: ProcessIdentity | null = null;
    const started = await startRecorded(program(), (process) => {
      recorded = process;
      expect([isAlive(process), existsSync(ran)]).toEqual([true, false]);
    });
    expect(recorded).toEqual(started);
    expect(await waitForExit(started, 60_000)).toBe(true);
    expect(readFileSync(ran, 'utf8').trim()).toBe(String(started.pid));
  });

  it('never runs if it could not be recorded', async () => {
    const started: ProcessIdentity[] = [];
    const attempt = startRecorded(program(), (process) => {
      started.push(process);
      throw new Error('disk full');
    });
    await expect(attempt).rejects.toThrow('disk full');
    expect(await Promise.all(started.map((process) => waitForExit(process, 60_000)))).toEqual([true]);
    expect(existsSync(ran)).toBe(false);
  });

  it('never runs if the process that starts it is killed before it is recorded', async () => {
    const starter = compiled.program(`
      import { startRecorded } from './engine/server.js';
      await startRecorded(JSON.parse(process.argv[2]), (started) => {
        process.stdout.write(JSON.stringify(started), () => process.kill(process.pid, 'SIGKILL'));
        return new Promise(() => undefined);
      });`);
    const { stdout } = await compiled.run(starter, [JSON.stringify(program())]);
    expect(await waitForExit(JSON.parse(String(stdout)) as ProcessIdentity, 60_000)).toBe(true);
    expect(existsSync(ran)).toBe(false);
  });
});
