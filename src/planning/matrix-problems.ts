import type { Agent } from '../agents/agent.js';
import type { Problem } from '../lib/errors/problem.js';
import { tooLongCell } from '../results/records/longest-names.js';
import { expandMatrix } from '../scenario/expand-matrix.js';
import { findAgentStep } from '../scenario/scenario.js';
import type { Project } from './project.js';
import { agentModelProblem, agentProblem, agentSubjectProblem } from './agent-problems.js';
import type { SelectedScenario, SelectedVariant } from './select-scenarios.js';

type Kind = 'unknown_agent' | 'agent_model' | 'unknown_provider' | 'agent_subject';

/** Finds problems with the agents and models in a scenario's own matrix. */
export function matrixProblems(
  { config }: Project,
  known: ReadonlyMap<string, Agent>,
  { variants }: SelectedScenario,
): { kind: Kind; problem: Problem }[] {
  const found = variants.flatMap((variant) => problemsOfVariant(config, known, variant));
  // variants share most of their agents
  return [...new Map(found.map((one) => [JSON.stringify(one), one])).values()];
}

function problemsOfVariant(
  config: Project['config'],
  known: ReadonlyMap<string, Agent>,
  { scenario, subject, problemAt }: SelectedVariant,
): { kind: Kind; problem: Problem }[] {
  return scenario.agents.flatMap(({ agent: name, models }, index): { kind: Kind; problem: Problem }[] => {
    const at = ['agents', index];
    const agent = known.get(name);
    if (agent === undefined) {
      const message = agentProblem(name, known) ?? '';
      return [{ kind: 'unknown_agent', problem: problemAt([...at, 'agent'], message) }];
    }
    const refused = agentSubjectProblem(agent, subject);
    if (refused !== null) return [{ kind: 'agent_subject', problem: problemAt([...at, 'agent'], refused) }];
    return models.flatMap((model, nth) => {
      const wrong = agentModelProblem(config, agent, model);
      if (wrong === null) return [];
      return [{ kind: wrong.kind, problem: problemAt([...at, 'models', nth], wrong.message) }];
    });
  });
}

/** Finds undefined agents in the config's profiles: in the profile `only`, or in all. */
export function profileProblems(
  { config, configSource }: Project,
  known: ReadonlyMap<string, Agent>,
  only?: string,
): Problem[] {
  if (configSource === null) return [];
  return Object.entries(config.profiles)
    .filter(([name]) => only === undefined || name === only)
    .flatMap(([name, { agents }]) =>
      agents.flatMap((agent) => {
        const message = agentProblem(agent, known);
        return message === null ? [] : [configSource.problemAt(['profiles', name, 'agents'], message)];
      }),
    );
}

/** Reports the first cell of the scenario's own matrix whose id is too long. */
export function lengthProblems(
  known: ReadonlyMap<string, Agent>,
  { scenario, variants, problemAt }: SelectedScenario,
): Problem[] {
  const { cells } = expandMatrix(
    [
      {
        ...{ ...scenario, repeat: 1, needsAgent: findAgentStep(scenario) !== null },
        variants: variants.map(({ variant, scenario: { agents } }) => ({ variant, agents })),
      },
    ],
    {
      flags: {},
      profile: null,
      defaultAgents: ['mock'],
      agentModels: Object.fromEntries([...known].map(([name, { models }]) => [name, models])),
    },
  );
  const messages = cells.flatMap((cell) => tooLongCell(cell) ?? []);
  return messages.slice(0, 1).map((message) => problemAt(['name'], message));
}
