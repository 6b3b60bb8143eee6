import { packageVersion } from '#host';
import { ENGINE_PROTOCOL } from '#lib';
import type { EngineState } from './engine-state.js';

/** Returns why this build must not take over an engine, and what to do; null if it may. */
export function newerEngineProblem(state: EngineState | null, stateFolder: string): string | null {
  if (state === null || state.protocol <= ENGINE_PROTOCOL) return null;
  return [
    `the engine in ${stateFolder} was used by a newer llm-tool-test (${state.versions.llm_tool_test}, protocol ${state.protocol}):`,
    `sweeps that it started cannot continue with this one (${packageVersion}, protocol ${ENGINE_PROTOCOL}).`,
    `Use the newer version, or another results folder (--results);`,
    `if none of its sweeps is open, stop that engine with the newer version and delete ${stateFolder}`,
  ].join(' ');
}
