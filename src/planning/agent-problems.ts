import type { Agent } from '../agents/agent.js';
import { suggest } from '../lib/suggest.js';
import { knownProviders } from '../platform/models/model-providers.js';
import type { Config } from '../scenario/config.js';
import type { StoredSubject } from '../scenario/subject.js';

/** Why there is no agent of this name. Null if the agent is known. */
export function agentProblem(name: string, known: ReadonlyMap<string, Agent>): string | null {
  if (known.has(name)) return null;
  const names = [...known.keys()];
  const near = suggest(name, names);
  return `unknown agent '${name}'${near === null ? '.' : `; did you mean '${near}'?`} Known agents: ${names.join(', ')}. Define others in [agents.${name}] in llm-tool-test-config.toml`;
}

/** Why an agent cannot be run with a model. Null if it can. */
export function agentModelProblem(
  { providers }: Config,
  agent: Agent,
  model: string,
): { kind: 'agent_model' | 'unknown_provider'; message: string } | null {
  const refused = agent.modelProblem(model);
  if (refused !== null) return { kind: 'agent_model', message: `${agent.name}: ${refused}` };
  const provider = agent.provider(model);
  const known = [...knownProviders(providers).keys()];
  if (provider === null || known.includes(provider)) return null;
  return {
    kind: 'unknown_provider',
    message: `${agent.name} with model '${model}': unknown provider '${provider}'. Known providers: ${known.join(', ')}; define others in [providers.${provider}] in llm-tool-test-config.toml`,
  };
}

/** Why an agent cannot be given the subject of a scenario. Null if it can, or if there is none. */
export function agentSubjectProblem(
  { name, subject: places, mcpProblem }: Agent,
  subject: readonly StoredSubject[],
): string | null {
  if (typeof places === 'string' && subject.some(({ kind }) => kind !== 'mcp'))
    return `${name} cannot be given skills or instructions: ${places}`;
  return mcpProblem !== null && subject.some(({ kind }) => kind === 'mcp')
    ? `${name} cannot be given MCP servers: ${mcpProblem}`
    : null;
}
