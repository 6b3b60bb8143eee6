import { mkdir } from 'node:fs/promises';
import { Context } from '@temporalio/activity';
import type { CommandResult } from '../../lib/command-result.js';
import type { RunContext } from './run-context.js';

export type RunStepCommand = (
  command: string,
  env: Record<string, string>,
  timeoutSecs: number,
) => Promise<CommandResult>;

/**
 * Commands of a step that checks the agent's work or is told to it: in the run's workspace, and in its sandbox, where there is
 * one, with the run's results to read. A worker that was killed has left its command running, without a limit: it is
 * ended before the first command of the attempt that comes after, which would else work beside it.
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
    return environment.exec(handle, { command, env, timeoutSecs, signal, part: step, inSandbox });
  };
}
