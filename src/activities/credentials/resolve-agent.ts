import { createHash } from 'node:crypto';
import { type Agent, agentOfCell, knownAgents, type ModelAccess } from '#agents';
import { knownProviders, missingVariables, type ModelProvider } from '#host';
import { interpolate, ownValue, referredNames } from '#lib';
import type { Plan } from '#scenario';

/** An agent and its model, as named by a cell or a judge's model. */
export interface AgentRef {
  agent: string;
  model: string;
}

/** The parts of a plan that come from the config and concern agents. */
type KnownToPlan = Pick<Plan, 'agents' | 'providers'>;

/** An agent with the values of its environment variables. */
export interface ResolvedAgent {
  agent: Agent;
  /** Its settings in the config; null for a built-in agent without any. */
  settings: Plan['agents'][string] | null;
  /** Key and address of its model's provider; null if it is given none. */
  access: ModelAccess | null;
  /**
   * The account whose limits apply: a login or a key of a provider, under a name that does not reveal the key. Null if
   * there is neither.
   */
  account: string | null;
  /** Required variables that have no value. */
  missing: string[];
}

/** Names of the variables that an agent needs from the user's shell. */
export const variablesOfAgent = (plan: KnownToPlan, who: AgentRef): string[] => [
  ...referredNames(ownValue(plan.agents, who.agent)?.env ?? {}),
  ...(servingAgent(plan, who)?.variables ?? []),
];

/**
 * Returns an agent of the plan with its variables filled in; null if this build does not know the agent. `command`: its
 * program in place of that of its settings.
 */
export function resolveAgent(
  plan: KnownToPlan,
  who: AgentRef,
  values: Record<string, string>,
  command?: string,
): ResolvedAgent | null {
  const settings = ownValue(plan.agents, who.agent);
  const { env, missing } = resolveEnv(settings?.env ?? {}, values);
  const own = command === undefined ? settings : { args: [], models: [], ...settings, command };
  const configured = own === undefined ? {} : { [who.agent]: { ...own, env } };
  const agent = agentOfCell(who, knownAgents(configured));
  if (agent === undefined) return null;
  const serving = servingAgent(plan, who);
  const byKey = agent.login === null;
  const key = byKey ? (serving?.key(values) ?? null) : null;
  return {
    agent,
    settings: settings ?? null,
    access:
      serving === null
        ? null
        : {
            key,
            baseUrl: serving.address(values),
            ...(isConfigured(plan, agent, who) ? { configured: true } : {}),
          },
    account: accountOf(agent.provider(who.model), byKey, [
      key,
      // Settings of the config override variables of the user's shell.
      ...(serving?.variables ?? []).map((name) => ownValue(env, name) ?? null),
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

/** The account that a provider serves by API. An agent with the same key has the same account. */
export const accountOfProvider = (
  name: string,
  provider: Pick<ModelProvider, 'key'>,
  values: Record<string, string>,
): string | null => accountOf(name, true, [provider.key(values)]);

const isConfigured = ({ providers }: KnownToPlan, agent: Agent, { model }: AgentRef): boolean =>
  Object.hasOwn(providers, agent.provider(model) ?? '');

/** The provider of the agent's model; null if there is none. */
export function servingAgent(plan: KnownToPlan, { agent, model }: AgentRef): ModelProvider | null {
  const name = knownAgents(plan.agents).get(agent)?.provider(model) ?? null;
  return name === null ? null : (knownProviders(plan.providers).get(name) ?? null);
}

/** Replaces each `${NAME}` in a map of environment variables. Entries that refer to a missing variable are left out. */
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
