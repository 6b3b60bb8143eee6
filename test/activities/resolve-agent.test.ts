import { describe, expect, it } from 'vitest';
import { resolveAgent } from '../../src/activities/credentials/resolve-agent.js';
import type { AgentSettings } from '../../src/agents/agent.js';

const NONE: AgentSettings = { args: [], models: [], env: {} };

function accountOf(
  agent: string,
  values: Record<string, string>,
  settings: Partial<AgentSettings> | null = null,
): string | null | undefined {
  const agents = settings === null ? {} : { [agent]: { ...NONE, ...settings } };
  return resolveAgent({ agents, providers: {} } as never, { agent, model: 'default' }, values)?.account;
}

describe('the account of an agent', () => {
  it('is the same for all agents with the same key, and reveals nothing of it', () => {
    const key = { ANTHROPIC_API_KEY: 'sk-ant-first' };
    const account = accountOf('claude-code', key);
    expect(account).toMatch(/^anthropic\/key-[0-9a-f]{4}$/);
    expect(accountOf('claude-code', { ...key, OPENAI_API_KEY: 'other' })).toBe(account);
    expect(accountOf('claude-code', { ANTHROPIC_API_KEY: 'sk-ant-second' })).not.toBe(account);
  });

  it('is the login, even if a key is set', () => {
    expect(accountOf('claude-code', { ANTHROPIC_API_KEY: 'sk-ant-first' }, { auth: 'login' })).toBe('anthropic/login');
  });

  it('belongs to the key that the config sets for the agent', () => {
    const values = { OPENAI_API_KEY: 'sk-shell', MINE: 'sk-mine' };
    const own = accountOf('codex', values, { env: { OPENAI_API_KEY: '${MINE}' } });
    expect(own).toMatch(/^openai\/key-/);
    expect(own).not.toBe(accountOf('codex', values));
  });

  it('is unknown without a key, and for agents without a provider', () => {
    expect(accountOf('codex', {})).toBeNull();
    expect(accountOf('mock', { OPENAI_API_KEY: 'x' })).toBeNull();
  });
});
