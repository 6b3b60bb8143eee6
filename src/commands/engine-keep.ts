import { isAbsolute } from 'node:path';
import { keep, readEngineState, resolveTemporalAddress } from '#engine';
import { ignoreOutputErrors, projectState } from '#host';
import { limitsOf } from '#lib';
import type { EngineStartOptions } from './engine.js';
import { printNotice } from './shared/output.js';

const IDLE_SECS = 15 * 60;

/** `engine keep`: runs the keeper in the foreground. Started by commands, containers and service managers. */
export async function engineKeep({ results, address, stay }: EngineStartOptions): Promise<number> {
  const idleSecs = Number(process.env['LLM_TOOL_TEST_IDLE_SECS'] ?? IDLE_SECS);
  // Commands name the folder; to read the config would take longer than to start the server.
  const resultsPath =
    results !== undefined && isAbsolute(results) ? results : (await import('./engine.js')).resultsOf(results);
  const external = resolveTemporalAddress(address);
  ignoreOutputErrors();
  await keep({ resultsPath, external, idleMs: stay ? null : idleSecs * 1000, limits: limitsOf(process.env) });
  // A command that waits for the engine reads the error from its state, but a service manager only sees the output
  const state = await readEngineState(projectState(resultsPath).folder);
  if (state?.phase !== 'failed' || state.keeper.pid !== process.pid) return 0;
  printNotice(`error: ${state.message}`);
  return 3;
}
