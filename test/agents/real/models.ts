import type { CliName } from '../clis.js';

/** For each agent, a model that it knows without asking a server. */
export const MODELS: Record<CliName, string> = {
  'claude-code': 'claude-sonnet-4-5',
  codex: 'gpt-5.5',
  opencode: 'anthropic/claude-sonnet-4-5',
  gemini: 'gemini-2.5-pro',
  pi: 'anthropic/claude-sonnet-4-5',
};
