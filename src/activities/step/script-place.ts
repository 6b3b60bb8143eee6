import type { ScriptPlace } from '../../agent-scripts/call-script.js';
import { fileText } from '../../gates/gate.js';
import type { RunContext } from './run-context.js';
import type { RunStepCommand } from './step-commands.js';

/** The workspace as the place where an agent script is called. */
export const scriptPlace = (
  { environment, handle }: RunContext,
  run: RunStepCommand,
  env: Record<string, string>,
  timeoutSecs: number,
): ScriptPlace => ({
  read: async (path) => fileText(await environment.look(handle, path)),
  exec: (command) => run(command, env, timeoutSecs),
});
