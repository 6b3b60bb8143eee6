import { dirname } from 'node:path';
import type { Agent } from '../agents/agent.js';
import { knownAgents } from '../agents/index.js';
import type { Problem } from '../lib/errors/problem.js';
import { UsageError } from '../lib/errors/usage-error.js';
import { isServiceMock } from '../mocks/mock-kinds.js';
import { findAgentStep, isApart } from '../scenario/scenario.js';
import { readText } from './file-checks.js';
import { findRuntime, moduleProblem } from './find-runtime.js';
import type { Project } from './project.js';
import type { ResolvedSweep } from './resolve-sweep.js';
import type { SelectedScenario, SelectedVariant } from './select-scenarios.js';

/** Returns the problems of the ElizaOS runtime that a scenario needs, at their places in the scenario file. */
export const runtimeProblems = ({ path, variants }: SelectedScenario): Problem[] =>
  variants.flatMap(({ scenario, problemAt }) =>
    findRuntime(dirname(path), scenario).problems.map((one) => problemAt(one.path, one.message)),
  );

/**
 * Checks what the agents in the agent host consist of, without running any of it.
 *
 * @throws UsageError with the problems of scenario files, or the first problem of the config
 */
export async function checkHostedAgents(project: Project, resolved: ResolvedSweep): Promise<void> {
  const { cells, agents, scenarios } = resolved;
  const withEliza = new Set(cells.flatMap(({ agent, scenario }) => (agent === 'eliza' ? [scenario] : [])));
  const selected = [...new Set(scenarios.map((one) => one.selected))].filter(({ scenario }) =>
    withEliza.has(scenario.name),
  );
  const found = selected.flatMap(runtimeProblems);
  const problems = [...new Map(found.map((one) => [JSON.stringify(one), one])).values()];
  const [first] = problems;
  if (first !== undefined)
    throw new UsageError(
      'scenario_invalid',
      first.message,
      problems,
      new Map(selected.map(({ file, text }) => [file, text])),
    );
  checkServiceMocks(project, resolved);
  for (const [name, { module }] of Object.entries(agents)) {
    const message = module === undefined ? null : await agentModuleProblem(module);
    if (message === null) continue;
    const { configSource } = project;
    throw new UsageError(
      'config_invalid',
      `agent ${name}: ${message}`,
      configSource === null ? [] : [configSource.problemAt(['agents', name, 'module'], message)],
      configSource === null ? new Map() : new Map([[configSource.file, configSource.text]]),
    );
  }
}

/** @throws UsageError if a scenario mocks services, or runs apart from this machine, with agents that cannot */
function checkServiceMocks({ config }: Project, { cells, scenarios }: ResolvedSweep): void {
  const known = knownAgents(config.agents);
  for (const { selected, variant, effective } of scenarios) {
    const agents = cells.flatMap((cell) =>
      cell.scenario === selected.scenario.name && cell.variant === variant.variant ? [cell.agent] : [],
    );
    const problems = misfits(known, agents, { ...variant, scenario: effective.scenario });
    const [first] = problems;
    if (first !== undefined)
      throw new UsageError(
        'scenario_invalid',
        first.message,
        problems,
        new Map([[selected.file, selected.text]]),
      );
  }
}

/** Returns what the agents that a scenario itself names, or its lack of any, cannot do for it. */
export const misfitsOfOwnAgents = (
  known: ReadonlyMap<string, Agent>,
  { variants }: Pick<SelectedScenario, 'variants'>,
): Problem[] =>
  variants.flatMap((variant) => {
    const { scenario } = variant;
    const own = scenario.agents.map(({ agent }) => agent).filter((name) => known.has(name));
    return misfits(known, findAgentStep(scenario) === null ? ['none'] : own, variant);
  });

/** The reason why agents cannot work where a scenario runs, or do not have the services that it mocks. */
function misfits(
  known: ReadonlyMap<string, Agent>,
  agents: readonly string[],
  { scenario: { mocks = [], environment }, problemAt }: Pick<SelectedVariant, 'scenario' | 'problemAt'>,
): Problem[] {
  return [...new Set(agents)].flatMap((name): Problem[] => {
    const isHosted = known.get(name)?.isHosted === true;
    if (isHosted && isApart(environment))
      return [
        problemAt(
          ['environment', 'type'],
          `the agent ${name} cannot run in environment.type ${environment.type}; use local or bubblewrap`,
        ),
      ];
    if (isHosted) return [];
    return mocks.flatMap((mock, index) =>
      isServiceMock(mock)
        ? [
            problemAt(
              ['mocks', index, 'service'],
              `${name === 'none' ? 'no agent takes part, and a command' : `the agent ${name}`} has no services; a service can be mocked only with the agent eliza or an agent with a module`,
            ),
          ]
        : [],
    );
  });
}

/** The reason why a module cannot be an agent; null if it can, as far as its text shows. */
async function agentModuleProblem(path: string): Promise<string | null> {
  const problem = moduleProblem(path, path);
  if (problem !== null) return problem;
  const { exportsName } = await import('./exports-name.js');
  return exportsName(readText(path) ?? '', 'createAgent')
    ? null
    : `${path} does not export createAgent; expected export function createAgent({ services, model })`;
}

/** Warns about scenarios whose character and plugins one of their agents ignores. */
export function ignoredRuntimeWarnings({ cells, scenarios }: ResolvedSweep): Set<string> {
  const described = new Map(
    scenarios.flatMap(({ selected: { scenario, file } }) =>
      scenario.runtime === undefined ? [] : [[scenario.name, { file, runtime: scenario.runtime }]],
    ),
  );
  return new Set(
    cells.flatMap(({ scenario, agent }) => {
      const found = described.get(scenario);
      return found === undefined || agent === 'eliza' || agent === 'none'
        ? []
        : [
            `warning: ${found.file}: character, plugins and setup.database are for the agent eliza; ${agent} does not use them`,
          ];
    }),
  );
}
