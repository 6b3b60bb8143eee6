import type { Agent } from './agent.js';
import { claudeCode } from './claude-code.js';
import { codex } from './codex.js';
import { commandAgent } from './command.js';
import { gemini } from './gemini.js';
import { mock } from './mock.js';
import { opencode } from './opencode.js';
import { pi } from './pi.js';
import type { AgentSettings } from './settings.js';

/** Adapters of real agents by name. A new one is one file and one line here. */
const adapters: Readonly<Record<string, (settings: AgentSettings) => Agent>> = {
  'claude-code': claudeCode,
  codex,
  gemini,
  opencode,
  pi,
};

const NO_SETTINGS: AgentSettings = { args: [], models: [], env: {} };

/** Agents that a config can adjust, and need not define. */
export const adapterNames: readonly string[] = Object.keys(adapters);

/** The agents that a project can name: the built-in ones, and those of its config. */
export function knownAgents(configured: Readonly<Record<string, AgentSettings>>): Map<string, Agent> {
  return new Map([
    [mock.name, mock],
    ...Object.entries(adapters).map(([name, adapter]): [string, Agent] => [name, adapter(NO_SETTINGS)]),
    ...Object.entries(configured).map(([name, settings]): [string, Agent] => [
      name,
      (Object.hasOwn(adapters, name) ? adapters[name] : undefined)?.(settings) ??
        commandAgent(name, settings),
    ]),
  ]);
}
