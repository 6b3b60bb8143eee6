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
  { environment, handle, state, files }: Pick<RunContext, 'environment' | 'handle' | 'state' | 'files'>,
  step: string,
  signal: AbortSignal,
): RunStepCommand {
  let alone = Context.current().info.attempt === 1;
  return async (command, env, timeoutSecs) => {
    if (!alone) await environment.kill(handle, { part: step });
    alone = true;
    const inSandbox = { shown: [files.folder] };
    return execWithRoom(
      { environment, handle, state },
      { command, env, timeoutSecs, signal, part: step, inSandbox },
    );
  };
}
