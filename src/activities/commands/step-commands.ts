import { join, relative } from 'node:path';
import { Context } from '@temporalio/activity';
import { type Command, type CommandResult, defined } from '#lib';
import { look, resultsInside, sharesHost } from '#environments';
import type { ScriptPlace } from '#agent-scripts';
import { type FileStat, fileText } from '#gates';
import { execWithSpace } from '../step/disk-space.js';
import { withMocks } from '../run/mock-server.js';
import type { LoadedRun, RunIdentity, RunPlaces } from '../run/context.js';

type RunStepCommand = (command: Command, env: Record<string, string>, timeoutSecs: number) => Promise<CommandResult>;

/**
 * Returns a function that runs the commands of a step that checks the agent's work or adds to its prompt: in the run's
 * workspace, in its sandbox if it has one, with read access to the run's results. A killed worker leaves its command
 * running without a time limit, so the next attempt kills it before it runs its own first command.
 */
export function stepCommands(
  context: Pick<RunIdentity, 'state' | 'scenario' | 'run'> &
    Pick<RunPlaces, 'environment' | 'handle' | 'files' | 'binaries'>,
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
    const inSandbox = { shown: [files.folder], ...defined({ checks }) };
    return execWithSpace(
      { environment, handle, state },
      { command, env: await withMocks(context, step, env), timeoutSecs, signal, part: step, inSandbox },
    );
  };
}

/** The run's workspace as the place in which an agent script is called. */
export const scriptPlace = (
  { environment, handle }: RunPlaces,
  run: RunStepCommand,
  env: Record<string, string>,
  timeoutSecs: number,
): ScriptPlace => ({
  read: async (path) => fileText(await environment.lookInside(handle, path)),
  exec: (command) => run(command, env, timeoutSecs),
});

/** Looks at a path in the checks folder: in its snapshot, which the agent's environment does not contain. */
export const lookInChecks = async ({ checksFolder }: RunPlaces, path: string): Promise<FileStat> =>
  checksFolder === null ? { kind: 'missing' } : look(checksFolder, path);

/** Environment variables of scripts and gates (specs/reference/scripts.md). */
export function scriptEnv(context: LoadedRun): Record<string, string> {
  const { run, files, handle } = context;
  const seen = (path: string): string =>
    sharesHost(handle) ? path : join(resultsInside(handle), relative(files.folder, path));
  return {
    ...context.checksEnv,
    LLM_TOOL_TEST_AGENT_HOME: context.home,
    LLM_TOOL_TEST_FIXTURE_DIR: handle.workspace,
    LLM_TOOL_TEST_RESULTS_DIR: seen(files.folder),
    LLM_TOOL_TEST_SCENARIO: run.cell.scenario,
    LLM_TOOL_TEST_AGENT: run.cell.agent,
    LLM_TOOL_TEST_MODEL: run.cell.model,
    LLM_TOOL_TEST_VARIANT: run.cell.variant,
    LLM_TOOL_TEST_TRANSCRIPT: seen(files.rawTranscript),
    LLM_TOOL_TEST_EVENTS: seen(files.events),
    ...context.targetEnv,
  };
}
