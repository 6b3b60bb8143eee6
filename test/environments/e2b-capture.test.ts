import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { captureCommand, NO_CAP, readCaptured } from '../../src/environments/e2b/capture.js';
import { killProcess } from '../host/processes.js';

/** Runs a script as in a sandbox. `ended` resolves when nothing can write to its output any more, as in E2B. */
function capture(script: string) {
  const child = spawn('bash', ['-c', captureCommand(Buffer.byteLength(script), NO_CAP)], { detached: true });
  const said = { stdout: '', stderr: '' };
  child.stdout.on('data', (data: Buffer) => (said.stdout += data.toString()));
  child.stderr.on('data', (data: Buffer) => (said.stderr += data.toString()));
  child.stdin.on('error', () => undefined);
  child.stdin.write(script);
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { child, said, ended };
}

test('relays both streams and the exit status, although a background process keeps them open', async () => {
  const { said, ended } = capture('echo out; echo err >&2; sleep 1000 & echo $! >&2; exit 3');
  expect(await ended).toBe(3);
  const [out, err] = [readCaptured(said.stdout), readCaptured(said.stderr)];
  expect(out?.kept.toString()).toBe('out\n');
  const [line, pid] = err?.kept.toString().split('\n') ?? [];
  expect(line).toBe('err');
  killProcess(Number(pid));
});

test('ends with bash, whenever that is killed', async () => {
  for (let ms = 0; ms < 20; ms++) {
    const { child, ended } = capture('read -r line');
    await sleep(ms);
    child.kill('SIGKILL');
    child.stdin.destroy();
    expect(await ended).toBeNull();
  }
});
