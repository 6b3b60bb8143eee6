import { mkdir } from 'node:fs/promises';
import { Context } from '@temporalio/activity';
import type { CommandResult } from '../../lib/command-result.js';
import { execWithRoom } from './room.js';
import type { RunContext } from './run-context.js';

export type RunStepCommand = (
  command: string,
  env: Record<string, string>,
  timeoutSecs: number,
) => Promise<CommandResult>;

/**
 * Runs the commands of a step that checks the agent's work or adds to its prompt: in the run's workspace, and in its sandbox if
 * it has one, with the run's results to read. A worker that was killed leaves its command running without a limit, so the next
 * attempt ends it before it runs a command of its own.
 */
export function stepCommands(
  { environment, handle, checks, files }: Pick<RunContext, 'environment' | 'handle' | 'checks' | 'files'>,
  step: string,
  signal: AbortSignal,
): RunStepCommand {
  let alone = Context.current().info.attempt === 1;
  return async (command, env, timeoutSecs) => {
    if (!alone) await environment.quell(handle, step);
    alone = true;
    for (const folder of checks) await mkdir(folder, { recursive: true, mode: 0o700 });
    const inSandbox = { shown: [files.folder] };
    return execWithRoom(
      { environment, handle },
      { command, env, timeoutSecs, signal, part: step, inSandbox },
    );
  };
}
