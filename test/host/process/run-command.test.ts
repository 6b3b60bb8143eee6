import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { CommandResult } from '../../../src/lib/commands/command.js';
import { OUTPUT_CAP, runCommand, type CommandRequest } from '../../../src/host/process/run-command.js';
import { spawnDetached } from '../../../src/host/process/spawn-detached.js';
import { allGone, killWhenFinished, processesWith, running, uniqueSeconds } from '../processes.js';
import { newFolder } from '../temporary.js';

const run = async (command: string, request: Partial<CommandRequest> = {}): Promise<CommandResult> =>
  runCommand({
    command,
    cwd: request.cwd ?? (await newFolder()),
    env: { PATH: process.env['PATH'] ?? '' },
    timeoutMs: 30_000,
    ...request,
  });

/** A unique argument of `sleep` that identifies the processes of a test. */
function sleeper(): string {
  const seconds = uniqueSeconds();
  killWhenFinished(seconds);
  return seconds;
}

describe.each(['directly', 'through the small process'])('%s', (how) => {
  beforeAll(async () => {
    if (how !== 'directly') await spawnDetached({ argv: ['true'], cwd: '/', env: {} });
  });

  describe('the result of a command', () => {
    it.each([
      ['exit 0', 0],
      ['exit 3', 3],
      ['exit 255', 255],
      ['no-such-command-anywhere', 127],
      ['/etc/passwd', 126],
      ['kill -TERM $$', null],
      ['sh -c "kill -TERM \\$\\$"; exit $?', 143],
    ])('the exit code of `%s` is %s', async (command, exitCode) => {
      expect(await run(command)).toMatchObject({ exitCode, timedOut: false });
    });

    it('keeps stdout and stderr apart, byte for byte', async () => {
      expect(await run("printf ' out\\n\\n'; printf 'err é\\n' >&2")).toMatchObject({
        stdout: ' out\n\n',
        stderr: 'err é\n',
        stdoutBytes: 6,
        stderrBytes: 7,
      });
    });

    it('passes exactly the given environment to the command', async () => {
      const { stdout } = await run('cat /proc/$$/environ', { env: { PATH: '/usr/bin:/bin', A: 'x\ny' } });
      expect(stdout.split('\0').filter(Boolean).sort()).toEqual(['A=x\ny', 'PATH=/usr/bin:/bin']);
    });

    it('runs in the given folder with nothing on stdin', async () => {
      const cwd = await newFolder();
      expect((await run('pwd; cat; echo end', { cwd })).stdout).toBe(`${cwd}\nend\n`);
    });

    it('measures how long it took', async () => {
      const { durationMs } = await run('sleep 0.3');
      expect(durationMs).toBeGreaterThanOrEqual(290);
      expect(durationMs).toBeLessThan(30_000);
    });

    it('throws an error that names a missing folder', async () => {
      const cwd = join(await newFolder(), 'gone');
      await expect(run('true', { cwd })).rejects.toThrow(cwd);
    });
  });

  describe('a lot of output', () => {
    it('keeps the first MiB of 10 MB on either stream and counts the rest', async () => {
      const command = "head -c 10000000 /dev/zero | tr '\\0' o; head -c 10000000 /dev/zero | tr '\\0' e >&2; echo end";
      const result = await run(command);
      expect(result).toMatchObject({ exitCode: 0, stdoutBytes: 10_000_004, stderrBytes: 10_000_000 });
      expect(result.stdout === 'o'.repeat(OUTPUT_CAP)).toBe(true);
      expect(result.stderr === 'e'.repeat(OUTPUT_CAP)).toBe(true);
    });

    it('needs no more memory for more output', async () => {
      const before = process.memoryUsage().rss;
      const bytes = 60 * OUTPUT_CAP;
      const result = await run(`yes | head -c ${bytes}`);
      expect(result).toMatchObject({ exitCode: 0, stdoutBytes: bytes });
      expect(result.stdout.length).toBe(OUTPUT_CAP);
      expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
    });

    it('that does not end is ended at the time limit', async () => {
      expect(await run('yes', { timeoutMs: 500 })).toMatchObject({ timedOut: true, exitCode: null });
    });

    it.each([1, 2, 3])('does not cut a character in two at the cap (shifted by %i)', async (shift) => {
      const { stdout, stdoutBytes } = await run(`printf '%${shift}s' ''; yes '😀' | tr -d '\\n' | head -c 2000000`);
      expect(stdoutBytes).toBe(2_000_000 + shift);
      expect(stdout.slice(0, shift + 2)).toBe(`${' '.repeat(shift)}😀`);
      expect(stdout.endsWith('😀')).toBe(true);
      expect(stdout).not.toContain('\uFFFD');
    });

    it('replaces bytes that are not text, even at the end of short output', async () => {
      expect((await run("printf 'a\\377b\\342\\202'")).stdout).toBe('a\uFFFDb\uFFFD');
    });
  });

  describe('the end of a command', () => {
    it('kills the whole process group at the deadline', async () => {
      const seconds = sleeper();
      const result = await run(`echo begun; sleep ${seconds} & trap '' TERM; sleep ${seconds}`, {
        timeoutMs: 2000,
      });
      expect(result).toMatchObject({ timedOut: true, exitCode: null, stdout: 'begun\n' });
      expect(result.durationMs).toBeGreaterThanOrEqual(1990);
      expect(await allGone(seconds)).toBe(true);
    });

    it.each([
      ['holds the output open', (seconds: string) => `sleep ${seconds} &`],
      ['holds the output open and ignores TERM', (seconds: string) => `(trap '' TERM; sleep ${seconds}) &`],
    ])('returns at once and kills a background process that %s', async (_, background) => {
      const seconds = sleeper();
      const result = await run(`${background(seconds)} echo done; exit 4`);
      expect(result).toMatchObject({ exitCode: 4, timedOut: false, stdout: 'done\n' });
      expect(await allGone(seconds)).toBe(true);
    });

    it('is not delayed by a process of another session that holds the pipes', async () => {
      const seconds = sleeper();
      const result = await run(`setsid sleep ${seconds} & echo done`);
      expect(result).toMatchObject({ exitCode: 0, timedOut: false, stdout: 'done\n' });
    });

    it('is not delayed by a process of another session that never stops writing', async () => {
      const seconds = sleeper();
      const result = await run(`setsid sh -c 'while :; do echo y; done; : ${seconds}' & exit 0`);
      expect(result).toMatchObject({ exitCode: 0, timedOut: false });
    });

    it('leaves background processes running when asked to', async () => {
      const seconds = sleeper();
      await run(`sleep ${seconds} >/dev/null 2>&1 &`, { keepBackground: true });
      expect(processesWith(seconds)).toHaveLength(1);
    });

    it('returns at once when a kept background process holds the pipes', async () => {
      const seconds = sleeper();
      const result = await run(`sleep ${seconds} & echo done`, { keepBackground: true });
      expect(result).toMatchObject({ timedOut: false, stdout: 'done\n' });
      expect(processesWith(seconds)).toHaveLength(1);
    });

    it('a kept server survives the closing of its pipes: a later write fails with a broken pipe', async () => {
      const cwd = await newFolder();
      const seconds = sleeper();
      await run(
        `sh -c 'trap "" PIPE; echo up; while [ ! -e go ]; do sleep 0.05; done; echo more; echo ok >wrote; sleep ${seconds}' &`,
        {
          cwd,
          keepBackground: true,
        },
      );
      await run('touch go', { cwd });
      await running(`sleep\0${seconds}`);
      expect(readFileSync(join(cwd, 'wrote'), 'utf8')).toBe('ok\n');
    });

    it('kills background processes at the deadline even if asked to keep them', async () => {
      const seconds = sleeper();
      const result = await run(`sleep ${seconds} & sleep ${seconds}`, { keepBackground: true, timeoutMs: 300 });
      expect(result.timedOut).toBe(true);
      expect(await allGone(seconds)).toBe(true);
    });

    it('kills the command and rejects when the signal aborts', async () => {
      const seconds = sleeper();
      const abort = new AbortController();
      const result = run(`sleep ${seconds}`, { signal: abort.signal });
      await running(seconds);
      abort.abort(new Error('enough'));
      await expect(result).rejects.toThrow('enough');
      expect(await allGone(seconds)).toBe(true);
    });

    it('does not finish the command if the signal has already aborted', async () => {
      const cwd = await newFolder();
      await expect(
        run('sleep 0.5; touch done', { cwd, signal: AbortSignal.abort(new Error('never')) }),
      ).rejects.toThrow('never');
      expect(existsSync(join(cwd, 'done'))).toBe(false);
    });
  });

  describe('on a busy machine', () => {
    it('loses no output of a command whose end is noticed before its output is read', async () => {
      const folder = await newFolder();
      const ended = join(folder, 'ended');
      const other = spawn('sh', ['-c', 'echo x']);
      const otherEnded = new Promise((resolve) => other.once('close', resolve));
      const command = run(`sleep 0.3; printf output; : > ${ended}`, { cwd: folder });
      // The system reports the end of the other process together with its output. While that output is handled, the
      // command ends too. Node then collects the ends of both, before it reads what the command has printed.
      other.stdout.once('data', () => {
        blockUntil(() => existsSync(ended));
        block(50); // from its last output to its end
        setImmediate(() => {
          block(300);
        });
      });
      block(150);
      expect(await command).toMatchObject({ exitCode: 0, stdout: 'output' });
      await otherEnded;
    });
  });
});

function block(ms: number): void {
  const end = performance.now() + ms;
  blockUntil(() => performance.now() >= end);
}

function blockUntil(isOver: () => boolean): void {
  while (!isOver()) continue;
}
