import type { Agent } from './agent.js';
import { commandAgent, type CommandSettings } from './command.js';
import { mock } from './mock.js';

/** Agents that are known without any configuration. */
const builtIn: readonly Agent[] = [mock];

/** The agents that a project can name: the built-in ones, and those of its config, which win. */
export function knownAgents(configured: Record<string, CommandSettings>): Map<string, Agent> {
  return new Map([
    ...builtIn.map((agent): [string, Agent] => [agent.name, agent]),
    ...Object.entries(configured).map(([name, settings]): [string, Agent] => [
      name,
      commandAgent(name, settings),
    ]),
  ]);
}
