import { pathToFileURL } from 'node:url';
import { vi } from 'vitest';
import type { runCommandLine } from '../../src/cli.js';

export interface Ended {
  exitCode: number | undefined;
  stdout: string;
  stderr: string;
}

type CommandLine = { runCommandLine: typeof runCommandLine };

let busy = false;

/** True if a command runs in this process now, and uses its working folder, environment and output. */
export const isBusy = (): boolean => busy;

/**
 * Runs a command of the built command line in this process, with its own working folder and environment. Starting a
 * process for each command costs more than most commands do.
 */
export async function runInProcess(
  cli: string,
  args: string[],
  { cwd, env }: { cwd: string; env: Record<string, string> },
): Promise<Ended> {
  if (busy) throw new Error('another command runs in this process');
  busy = true;
  const before = { cwd: process.cwd(), env: { ...process.env } };
  const stdout = capture(process.stdout);
  const stderr = capture(process.stderr);
  try {
    process.chdir(cwd);
    Object.assign(process.env, env);
    const { runCommandLine } = (await import(pathToFileURL(cli).href)) as CommandLine;
    const exitCode = await runCommandLine(args);
    return { exitCode, stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    stdout.end();
    stderr.end();
    process.chdir(before.cwd);
    for (const name of Object.keys(process.env)) if (!(name in before.env)) Reflect.deleteProperty(process.env, name);
    Object.assign(process.env, before.env);
    busy = false;
  }
}

/** Captures what is written to a stream, in execa's form: without the final newline. */
function capture(stream: NodeJS.WriteStream): { text: () => string; end: () => void } {
  const chunks: Buffer[] = [];
  const write = vi.spyOn(stream, 'write').mockImplementation((chunk: string | Uint8Array, ...more) => {
    chunks.push(Buffer.from(chunk as string));
    const done = more.find((item) => typeof item === 'function');
    if (done !== undefined) process.nextTick(done);
    return true;
  });
  return {
    text: () =>
      Buffer.concat(chunks)
        .toString()
        .replace(/\r?\n$/, ''),
    end: () => {
      write.mockRestore();
    },
  };
}
