import { isMap } from '#lib';
import { itemsOf, type Part } from './parts.js';

/** Providers of promptfoo that are agents, and our names for these. */
const AGENTS: readonly (readonly [RegExp, string])[] = [
  [/^anthropic:claude-(agent-sdk|code)(?::(.+))?$/, 'claude-code'],
  [/^openai:codex(-sdk|-app-server)?(?::(.+))?$/, 'codex'],
  [/^opencode(:sdk)?(?::(.+))?$/, 'opencode'],
];

/** An entry of `tool_matrix`. */
interface ImportedAgent {
  agent: string;
  models: string[];
}

/** The providers that are agents, each with its models. */
export function readAgents(part: Part | undefined): ImportedAgent[] {
  const found = new Map<string, Set<string>>();
  for (const item of itemsOf(part)) {
    const { id, config } = isMap(item.value) ? item.value : { id: item.value, config: undefined };
    if (isMap(item.value)) item.left.addOthers(item.value, item.path, ['id', 'label', 'config']);
    const [match, agent] = typeof id === 'string' ? agentOf(id) : [null, ''];
    if (match === null) {
      item.left.add(
        item.path,
        `${typeof id === 'string' ? id : 'this provider'} is no agent that is known; name one with --agents (the agent loop needs only a model)`,
      );
      continue;
    }
    const settings = isMap(config) ? config : {};
    item.left.addOthers(settings, [...item.path, 'config'], ['model']);
    const model = typeof settings['model'] === 'string' ? settings['model'] : match[2];
    const models = found.get(agent) ?? new Set();
    if (model !== undefined) models.add(model);
    found.set(agent, models);
  }
  return [...found].map(([agent, models]) => ({ agent, models: [...models] }));
}

function agentOf(id: string): [RegExpExecArray | null, string] {
  for (const [pattern, agent] of AGENTS) {
    const match = pattern.exec(id);
    if (match !== null) return [match, agent];
  }
  return [null, ''];
}
