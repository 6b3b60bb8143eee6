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

interface Adapter {
  make: (settings: AgentSettings) => Agent;
  /** The settings that it takes besides `models` and `env`. */
  takes: readonly (keyof AgentSettings)[];
}

const PROGRAM = ['command', 'args'] as const;

/** Adapters of real agents by name. To add one, add a file and a line here. */
const adapters: Readonly<Record<string, Adapter>> = {
  'claude-code': { make: claudeCode, takes: [...PROGRAM, 'auth', 'effort', 'mode'] },
  codex: { make: codex, takes: [...PROGRAM, 'auth', 'effort', 'mode'] },
  // The models that these ask, and their plugins, decide about their costs.
  eliza: { make: eliza, takes: ['free'] },
  gemini: { make: gemini, takes: [...PROGRAM, 'auth', 'mode'] },
  loop: { make: loop, takes: ['free', 'effort', 'context_tokens'] },
  opencode: { make: opencode, takes: [...PROGRAM, 'auth', 'effort'] },
  pi: { make: pi, takes: [...PROGRAM, 'auth', 'effort'] },
  ...Object.fromEntries(
    acpAgentNames.map((name): [string, Adapter] => [
      name,
      {
        make: (settings) => acpAgent(name, presetOf(name), settings),
        takes: [...PROGRAM, 'mode', 'options'],
      },
    ]),
  ),
};

const NO_SETTINGS: AgentSettings = { args: [], models: [], env: {} };

/** The real agents that are built in. A config can adjust them, but need not define them. */
export const adapterNames: readonly string[] = Object.keys(adapters);

/** The adapters that take a setting. */
export const adaptersWith = (setting: keyof AgentSettings): string[] =>
  adapterNames.filter((name) => adapters[name]?.takes.includes(setting) === true);

/** Returns the agents that a project can name: the built-in ones, and those of its config. */
export function knownAgents(configured: Readonly<Record<string, AgentSettings>>): Map<string, Agent> {
  return new Map([
    ...[mock, oracle, nop].map((agent): [string, Agent] => [agent.name, agent]),
    ...[...adapterNames.map((name) => [name, NO_SETTINGS] as const), ...Object.entries(configured)].map(
      ([name, settings]): [string, Agent] => [name, adapted(name, settings) ?? ownAgent(name, settings)],
    ),
  ]);
}

/**
 * The agent that an adapter makes: the built-in one of this name, or one that the config defines by it. It differs from
 * the built-in one in its name and settings only. Null if only the config says anything of it.
 */
function adapted(name: string, settings: AgentSettings): Agent | null {
  const adapter = settings.adapter ?? name;
  const found = ownValue(adapters, adapter);
  return found === undefined ? null : { ...found.make(settings), name, adapter };
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
