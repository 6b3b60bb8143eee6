import { Context } from '@temporalio/activity';
import type { CommandResult } from '../../lib/command-result.js';
import type { RunContext } from './run-context.js';

export type RunStepCommand = (
  command: string,
  env: Record<string, string>,
  timeoutSecs: number,
) => Promise<CommandResult>;

/**
 * Commands of a step, in the run's workspace. A worker that was killed has left its command running, without a limit: it is
 * ended before the first command of the attempt that comes after, which would else work beside it.
 */
export function stepCommands(
  { environment, handle }: Pick<RunContext, 'environment' | 'handle'>,
  step: string,
  signal: AbortSignal,
): RunStepCommand {
  let alone = Context.current().info.attempt === 1;
  return async (command, env, timeoutSecs) => {
    if (!alone) await environment.quell(handle, step);
    alone = true;
    return environment.exec(handle, { command, env, timeoutSecs, signal, part: step });
  };
}
