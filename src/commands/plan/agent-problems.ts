import type { Agent } from '../../agents/agent.js';
import { nearest } from '../../lib/nearest.js';
import { knownProviders } from '../../platform/model-providers.js';
import type { Config } from '../../scenario/config.js';

/** Why nobody can be started by this name; null where the agent is known. */
export function agentProblem(name: string, known: ReadonlyMap<string, Agent>): string | null {
  if (known.has(name)) return null;
  const names = [...known.keys()];
  const near = nearest(name, names);
  return `agent '${name}' is not known${near === null ? '.' : `; did you mean '${near}'?`} Known agents: ${names.join(', ')}. Others are defined in [agents.${name}] of llm-tool-test-config.toml`;
}

/** What is wrong with a model for an agent; null where it can be run with it. */
export function agentModelProblem(
  { providers }: Config,
  agent: Agent,
  model: string,
): { kind: 'agent_model' | 'unknown_provider'; message: string } | null {
  const refused = agent.refuses(model);
  if (refused !== null) return { kind: 'agent_model', message: `${agent.name}: ${refused}` };
  const provider = agent.provider(model);
  const known = [...knownProviders(providers).keys()];
  if (provider === null || known.includes(provider)) return null;
  return {
    kind: 'unknown_provider',
    message: `${agent.name} with model '${model}': provider '${provider}' is not known. Known providers: ${known.join(', ')}; others are defined in [providers.${provider}] of llm-tool-test-config.toml`,
  };
}
