import { join, relative } from 'node:path';
import type { ScriptPlace } from '#agent-scripts';
import { look, resultsInside, sharesHost } from '#environments';
import { type FileStat, fileText } from '#gates';
import type { RunContext } from './run-context.js';
import type { RunStepCommand } from './step-commands.js';

/** The run's workspace as the place in which an agent script is called. */
export const scriptPlace = (
  { environment, handle }: RunContext,
  run: RunStepCommand,
  env: Record<string, string>,
  timeoutSecs: number,
): ScriptPlace => ({
  read: async (path) => fileText(await environment.look(handle, path)),
  exec: (command) => run(command, env, timeoutSecs),
});

/** Looks at a path in the checks folder: in its snapshot, which the agent's environment does not contain. */
export const lookInChecks = async ({ checksFolder }: RunContext, path: string): Promise<FileStat> =>
  checksFolder === null ? { kind: 'missing' } : look(checksFolder, path);

/** Environment variables of scripts and gates (specs/reference/scripts.md). */
export function scriptEnv(context: RunContext): Record<string, string> {
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
