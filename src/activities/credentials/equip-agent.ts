import { createHash } from 'node:crypto';
import type { Agent, ModelAccess } from '../../agents/agent.js';
import { knownAgents } from '../../agents/index.js';
import { interpolate, referredNames } from '../../lib/interpolate.js';
import {
  knownProviders,
  missingVariables,
  type ModelProvider,
} from '../../platform/models/model-providers.js';
import type { Plan } from '../../scenario/plan.js';

/** Who is started, as a cell or a judge's model names it. */
export interface AgentRef {
  agent: string;
  model: string;
}

/** What a plan keeps of the config for its agents. */
type KnownToPlan = Pick<Plan, 'agents' | 'providers'>;

/** An agent with the handed-over values that are meant for it. */
export interface EquippedAgent {
  agent: Agent;
  /** What the config says of it; null for a built-in one. */
  settings: Plan['agents'][string] | null;
  /** Key and address of its model's provider; null where it is given none. */
  access: ModelAccess | null;
  /**
   * Whose limits it meets: a login or a key of a provider, by a name that tells nothing of the key; null where it has
   * neither.
   */
  account: string | null;
  /** Variables that it cannot do without, and that have no value. */
  missing: string[];
}

/** Names of the variables that an agent takes from the user's shell. */
export const variablesOfAgent = (plan: KnownToPlan, who: AgentRef): string[] => [
  ...referredNames(plan.agents[who.agent]?.env ?? {}),
  ...(servingAgent(plan, who)?.variables ?? []),
];

/** An agent of the plan; null where this build does not know it. */
export function equipAgent(
  plan: KnownToPlan,
  who: AgentRef,
  values: Record<string, string>,
): EquippedAgent | null {
  const settings = plan.agents[who.agent];
  const { env, missing } = resolveEnv(settings?.env ?? {}, values);
  const configured = settings === undefined ? {} : { [who.agent]: { ...settings, env } };
  const agent = knownAgents(configured).get(who.agent);
  if (agent === undefined) return null;
  const serving = servingAgent(plan, who);
  const byKey = agent.login === null;
  const key = byKey ? (serving?.key(values) ?? null) : null;
  return {
    agent,
    settings: settings ?? null,
    access: serving === null ? null : { key, baseUrl: serving.address(values) },
    account: accountOf(agent.provider(who.model), byKey, [
      key,
      // What the config sets itself wins over what is handed over.
      ...(serving?.variables ?? []).map((name) => env[name] ?? null),
    ]),
    missing: [...missing, ...(serving === null || !byKey ? [] : missingVariables(serving, values))],
  };
}

const KEY_DIGITS = 4;

function accountOf(provider: string | null, byKey: boolean, keys: readonly (string | null)[]): string | null {
  if (provider === null) return null;
  if (!byKey) return `${provider}/login`;
  const own = keys.filter((key) => key !== null);
  if (own.length === 0) return null;
  const digits = createHash('sha256').update(JSON.stringify(own)).digest('hex').slice(0, KEY_DIGITS);
  return `${provider}/key-${digits}`;
}

/** Who serves the agent's model. */
function servingAgent(plan: KnownToPlan, { agent, model }: AgentRef): ModelProvider | null {
  const name = knownAgents(plan.agents).get(agent)?.provider(model) ?? null;
  return name === null ? null : (knownProviders(plan.providers).get(name) ?? null);
}

/** Fills the `${NAME}` in an environment map. */
export function resolveEnv(
  env: Record<string, string>,
  values: Record<string, string>,
): { env: Record<string, string>; missing: string[] } {
  const resolved: Record<string, string> = {};
  const missing: string[] = [];
  for (const [name, text] of Object.entries(env)) {
    const filled = interpolate(text, values);
    if (filled.ok) resolved[name] = filled.text;
    else missing.push(...filled.missing);
  }
  return { env: resolved, missing };
}
