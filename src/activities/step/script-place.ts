import type { ScriptPlace } from '../../agent-scripts/call-script.js';
import { fileText } from '../../gates/gate.js';
import type { RunContext } from './run-context.js';

/** The workspace as the place where an agent script is called. */
export const scriptPlace = (
  { environment, handle }: RunContext,
  env: Record<string, string>,
  timeoutSecs: number,
  signal: AbortSignal,
): ScriptPlace => ({
  read: async (path) => fileText(await environment.look(handle, path)),
  exec: (command) => environment.exec(handle, { command, env, timeoutSecs, signal }),
});
