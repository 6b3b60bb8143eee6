import { Context } from '@temporalio/activity';
import type { Command, CommandResult } from '#lib';
import { execWithRoom } from './room.js';
import type { RunContext } from './run-context.js';
import { withMocks } from './with-mocks.js';

export type RunStepCommand = (
  command: Command,
  env: Record<string, string>,
  timeoutSecs: number,
) => Promise<CommandResult>;

/**
 * Returns a function that runs the commands of a step that checks the agent's work or adds to its prompt: in the run's
 * workspace, in its sandbox if it has one, with read access to the run's results. A killed worker leaves its command
 * running without a time limit, so the next attempt kills it before it runs its own first command.
 */
export function stepCommands(
  context: Pick<
    RunContext,
    'environment' | 'handle' | 'state' | 'files' | 'scenario' | 'binaries' | 'mockServer'
  >,
  step: string,
  signal: AbortSignal,
  /** The checks folder on the host, for gates and evaluators of a scenario that has one. */
  checks: string | null = null,
): RunStepCommand {
  const { environment, handle, state, files } = context;
  let isCleared = Context.current().info.attempt === 1;
  return async (command, env, timeoutSecs) => {
    if (!isCleared) await environment.kill(handle, { part: step });
    isCleared = true;
    const inSandbox = { shown: [files.folder], ...(checks === null ? {} : { checks }) };
    return execWithRoom(
      { environment, handle, state },
      { command, env: await withMocks(context, step, env), timeoutSecs, signal, part: step, inSandbox },
    );
  };
}
