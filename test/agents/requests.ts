import { readdirSync } from 'node:fs';
import type { AgentRequest, AgentSettings } from '../../src/agents/agent.js';

/** The settings of an agent that the config does not mention. */
export const NO_SETTINGS: AgentSettings = { args: [], models: [], env: {} };

export const REQUEST: AgentRequest = {
  prompt: '- Do it\nnow',
  model: 'default',
  workspace: '/run/fixture',
  home: '/run/home',
  config: '/run/config',
  sessionId: '00000000-0000-4000-a000-000000000000',
  maxTurns: null,
  system: null,
  access: null,
  mock: null,
  hasNode: true,
};

/** Names of all captured streams of an agent. */
export const capturesOf = (agent: string): string[] =>
  readdirSync(new URL('./captures/', import.meta.url))
    .filter((name) => name.startsWith(`${agent}-`) && name.endsWith('.jsonl'))
    .map((name) => name.slice(0, -'.jsonl'.length));
