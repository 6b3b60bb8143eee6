import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { McpConnection } from './proxy-file.js';
import type { Server, ServerEvents } from './server.js';

/** The time that a server has to end by itself, and then to obey SIGTERM. */
const PATIENCE_MS = 2000;
/** The longest part of its last line on stderr that is quoted. */
const LAST_WORDS = 300;

/** Starts a server that speaks stdio. Of what it writes to stderr, only the last line is told. */
export function startProgram(
  { command, args, env }: Extract<McpConnection, { command: string }>,
  workspace: string,
  on: ServerEvents,
): Server {
  const child = spawn(command, args, { cwd: workspace, env, stdio: ['pipe', 'pipe', 'pipe'] });
  let lastWords = '';
  const ended = new Promise<void>((resolve) => {
    child.once('error', (error) => {
      on.ended(`the server could not be started: ${error.message}`);
      resolve();
    });
    child.once('close', (code, signal) => {
      const how = signal === null ? `exit code ${code ?? 'unknown'}` : signal;
      const said = lastWords.trim().split('\n').at(-1) ?? '';
      on.ended(`the server ended before the agent (${how})${said === '' ? '' : `: ${said}`}`);
      resolve();
    });
  });
  void passOn(child.stdout, on).catch(() => undefined);
  child.stderr.on('data', (chunk: Buffer) => {
    lastWords = `${lastWords}${chunk.toString()}`.slice(-LAST_WORDS);
  });
  // An error of these says only that the server has ended, which is noticed anyway.
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on('error', () => undefined);
  return {
    send: (line) => void child.stdin.write(line),
    async close() {
      child.stdin.end();
      for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
        await Promise.race([ended, sleep(PATIENCE_MS, undefined, { ref: false })]);
        if (child.exitCode !== null || child.signalCode !== null) return;
        child.kill(signal);
      }
    },
  };
}

async function passOn(stdout: Readable, on: ServerEvents): Promise<void> {
  for await (const chunk of stdout) {
    on.bytes(chunk as Buffer);
    await on.ready();
  }
}
