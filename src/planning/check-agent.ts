import { resolve } from 'node:path';
import type { Agent } from '../agents/agent.js';
import type { Plan } from '../scenario/plan.js';
import type { StoredSubject } from '../scenario/subject.js';
import type { Project } from './project.js';
import { UsageError } from '../lib/errors/usage-error.js';
import { agentModelProblem, agentProblem, agentSubjectProblem } from './agent-problems.js';

/** @throws UsageError for an agent that is not defined */
export function checkAgent(name: string, known: ReadonlyMap<string, Agent>): void {
  const problem = agentProblem(name, known);
  if (problem !== null) throw new UsageError('unknown_agent', problem);
}

/** @throws UsageError for a model that the agent cannot be run with */
export function checkModel({ config }: Project, agent: Agent | undefined, model: string): void {
  const problem = agent === undefined ? null : agentModelProblem(config, agent, model);
  if (problem !== null) throw new UsageError(problem.kind, problem.message);
}

/** @throws UsageError for an agent that cannot be given the subject of a scenario that it runs */
export function checkSubject(
  agent: Agent | undefined,
  scenario: string,
  subject: readonly StoredSubject[],
): void {
  const problem = agent === undefined ? null : agentSubjectProblem(agent, subject);
  if (problem !== null) throw new UsageError('agent_subject', `${scenario}: ${problem}`);
}

/** The config's settings of the used agents, as they are stored in the plan. */
export const agentSettings = ({ config, root }: Project, used: readonly string[]): Plan['agents'] =>
  Object.fromEntries(
    Object.entries(config.agents)
      .filter(([name]) => used.includes(name))
      // made absolute: the path is relative to the config file, but the agent starts in its workspace
      .map(([name, agent]) => [
        name,
        {
          ...agent,
          ...(agent.command?.includes('/') === true ? { command: resolve(root, agent.command) } : {}),
          ...(agent.module === undefined ? {} : { module: resolve(root, agent.module) }),
        },
      ]),
  );
