import { delimiter } from 'node:path';
import type { RunContext } from './run-context.js';

/**
 * The environment variables of what a step starts. If the scenario mocks commands, they come first even on a PATH that
 * the target or the agent sets, and know the step.
 */
export function withMocks(
  { scenario, binaries }: Pick<RunContext, 'scenario' | 'binaries'>,
  step: string,
  env: Record<string, string>,
): Record<string, string> {
  if (scenario.mocks === undefined || scenario.mocks.length === 0) return env;
  const others = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== binaries);
  return { ...env, PATH: [binaries, ...others].join(delimiter), LLM_TOOL_TEST_STEP: step };
}
