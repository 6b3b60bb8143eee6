import { ownValue } from '#lib';
import { acpAgent } from './acp/acp.js';
import { acpAgentNames, presetOf, UNTRIED } from './acp/presets.js';
import type { Agent, AgentSettings } from './agent.js';
import { claudeCode } from './claude-code.js';
import { codex } from './codex.js';
import { commandAgent } from './command.js';
import { eliza, moduleAgent } from './hosted.js';
import { gemini } from './gemini.js';
import { loop } from './loop/loop.js';
import { mock, none } from './mock.js';
import { opencode } from './opencode.js';
import { nop, oracle } from './oracle.js';
import { pi } from './pi.js';

/** Adapters of real agents by name. To add one, add a file and a line here. */
const adapters: Readonly<Record<string, (settings: AgentSettings) => Agent>> = {
  'claude-code': claudeCode,
  codex,
  eliza,
  gemini,
  loop,
  opencode,
  pi,
  ...Object.fromEntries(
    acpAgentNames.map((name) => [name, (settings: AgentSettings) => acpAgent(name, presetOf(name), settings)]),
  ),
};

const NO_SETTINGS: AgentSettings = { args: [], models: [], env: {} };

/** The real agents that are built in. A config can adjust them, but need not define them. */
export const adapterNames: readonly string[] = Object.keys(adapters);

/** Adapters of agents that are no programs of their own: what they ask, or their plugins, decide what they cost. */
export const adaptersWithoutProgram: readonly string[] = adapterNames.filter((name) => {
  const agent = adapters[name]?.(NO_SETTINGS);
  return agent?.isHosted === true || agent?.isLoop === true;
});

/** Returns the agents that a project can name: the built-in ones, and those of its config. */
export function knownAgents(configured: Readonly<Record<string, AgentSettings>>): Map<string, Agent> {
  return new Map([
    ...[mock, oracle, nop].map((agent): [string, Agent] => [agent.name, agent]),
    ...Object.entries(adapters).map(([name, adapter]): [string, Agent] => [name, adapter(NO_SETTINGS)]),
    ...Object.entries(configured).map(([name, settings]): [string, Agent] => [
      name,
      ownValue(adapters, name)?.(settings) ?? ownAgent(name, settings),
    ]),
  ]);
}

/** An agent that only the config defines. */
function ownAgent(name: string, settings: AgentSettings): Agent {
  const { module, acp } = settings;
  if (module !== undefined) return moduleAgent(name, module, settings);
  if (acp === undefined) return commandAgent(name, settings);
  return acpAgent(name, acp === true ? UNTRIED : presetOf(acp), settings);
}

/** Returns the agent of a cell, which is `none` if no agent takes part. Undefined if there is no agent of that name. */
export const agentOfCell = ({ agent }: { agent: string }, known: ReadonlyMap<string, Agent>): Agent | undefined =>
  known.get(agent) ?? (agent === none.name ? none : undefined);
