import type { CommandHandle, Sandbox } from 'e2b';
import { RUN_MARK } from '../../platform/process/marked-processes.js';
import { captureCommand, readCaptured, type Captured } from './capture.js';
import type { Connected } from './sandboxes.js';

/** Bytes of standard input per request. */
const PIECE = 256 * 1024;
const START_MS = 30_000;

/** A script that runs in a sandbox. */
export interface Running {
  /** Its exit status and output. Rejects if the connection is lost or the sandbox ends. */
  ended: Promise<{ exitCode: number; stdout: Captured; stderr: Captured }>;
  /** Stops to wait for it. */
  disconnect: () => void;
}

/** Starts a script. The output after the first `cap` bytes of each stream is only counted. */
export async function startInSandbox(
  { e2b, sandbox }: Connected,
  { script, cap, mark, user }: { script: string; cap: number; mark: string; user?: 'root' },
): Promise<Running> {
  const bytes = Buffer.from(script);
  const started = await sandbox.commands.run(captureCommand(bytes.length, cap), {
    ...{ background: true, stdin: true, timeoutMs: 0, requestTimeoutMs: START_MS },
    // bash reads settings from HOME, where the agent may have written some.
    envs: { HOME: '/nonexistent', [RUN_MARK]: mark },
    ...(user === undefined ? {} : { user }),
  });
  const waiting = started.wait().catch((error: unknown) => {
    if (!(error instanceof e2b.CommandExitError)) throw error;
    const { exitCode, stdout, stderr } = error;
    return { exitCode, stdout, stderr };
  });
  // It may fail while the script is still being sent.
  waiting.catch(() => undefined);
  try {
    await send(sandbox, started, bytes);
  } catch (error) {
    await started.disconnect();
    throw error;
  }
  return {
    ended: waiting.then(({ exitCode, stdout, stderr }) => {
      const [out, err] = [readCaptured(stdout), readCaptured(stderr)];
      if (out === null || err === null)
        throw new Error(`a script was cut off (exit ${exitCode}): ${stderr.trim().slice(-200)}`);
      return { exitCode, stdout: out, stderr: err };
    }),
    disconnect: () => void started.disconnect(),
  };
}

async function send(sandbox: Sandbox, { pid }: CommandHandle, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length; at += PIECE)
    await sandbox.commands.sendStdin(pid, bytes.subarray(at, at + PIECE), { requestTimeoutMs: START_MS });
}
