import { withScenarioErrors } from './errors.js';
import type { RunScenariosOptions, Sweep } from './sweep.js';

/**
 * Starts a sweep, as `run` does. Like there, agents that may spend money need LLM_TOOL_TEST_ENABLED=1.
 *
 * @throws ScenarioError if nothing can be run: with all mistakes in files, and their places
 */
export const runScenarios = (options: RunScenariosOptions): Promise<Sweep> =>
  withScenarioErrors(async () => {
    // Loading Temporal's client takes longer than reading results does.
    const [{ planScenarios }, { startScenarios }] = await Promise.all([
      import('./run/plan-scenarios.js'),
      import('./run/start-scenarios.js'),
    ]);
    return startScenarios(await planScenarios(options), options);
  });
