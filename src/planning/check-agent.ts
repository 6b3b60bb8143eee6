import { resolve } from 'node:path';
import type { Agent } from '../agents/agent.js';
import type { Plan } from '../scenario/plan.js';
import type { Project } from './project.js';
import { UsageError } from '../lib/usage-error.js';
import { agentModelProblem, agentProblem } from './agent-problems.js';

/** @throws UsageError for an agent that nobody defines. */
export function checkAgent(name: string, known: ReadonlyMap<string, Agent>): void {
  const problem = agentProblem(name, known);
  if (problem !== null) throw new UsageError('unknown_agent', problem);
}

/** @throws UsageError for a model that an agent cannot be run with. */
export function checkModel({ config }: Project, agent: Agent | undefined, model: string): void {
  const problem = agent === undefined ? null : agentModelProblem(config, agent, model);
  if (problem !== null) throw new UsageError(problem.kind, problem.message);
}

/** The config's agents that are used, as the plan keeps them. */
export const agentSettings = ({ config, root }: Project, used: readonly string[]): Plan['agents'] =>
  Object.fromEntries(
    Object.entries(config.agents)
      .filter(([name]) => used.includes(name))
      // A relative path is meant from the config file; the agent will start in its workspace.
      .map(([name, agent]) => [
        name,
        agent.command?.includes('/') === true ? { ...agent, command: resolve(root, agent.command) } : agent,
      ]),
  );
