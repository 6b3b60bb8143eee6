import type { ModelAccess } from '#agents';
import type { ModelProvider } from '#host';
import type { Plan } from '#scenario';
import type { ProviderLimits } from '#store';
import { accountOfProvider, resolveAgent } from '../credentials/resolve-agent.js';
import type { Deps } from '../step/deps.js';
import { noteReason } from '../step/open-runs.js';
import type { RunIdentity } from './identity.js';
import type { RunSecrets } from './secrets.js';
import { askedBy } from './values-of-run.js';

/** The models that the agent and the run itself use: keys, accounts and their limits. */
export interface RunAccess {
  /** The agent's settings in the config; null for a built-in agent without any. */
  agentSettings: Plan['agents'][string] | null;
  /** Key and address of the provider of the agent's model; null if the agent is given none. */
  access: ModelAccess | null;
  /** The account whose limits apply to the agent; null if unknown. */
  account: string | null;
  /** The same for the model that the run asks. */
  askedAccount: string | null;
  /** What is known of the limits of accounts; null if nothing is shared. */
  limits: ProviderLimits | null;
  /** Provider of the model that the run asks; null if none is asked by API, or if this worker does not know the provider. */
  provider: ModelProvider | null;
  /** Notes why the run waits for a model that it asks, for those who follow it; null: it no longer waits. */
  noteReason: (reason: string | null) => void;
}

export function loadAccess(deps: Deps, context: RunIdentity & Pick<RunSecrets, 'values'>): RunAccess {
  const { run, plan, values } = context;
  const own = resolveAgent(plan, run.cell, values);
  const asked = askedBy(plan, context);
  return {
    agentSettings: own?.settings ?? null,
    access: own?.access ?? null,
    account: own?.account ?? null,
    askedAccount:
      asked.provider === null
        ? ((asked.agent === null ? null : resolveAgent(plan, asked.agent, values))?.account ?? null)
        : accountOfProvider(asked.providerName, asked.provider, values),
    limits: deps.providerLimits ?? null,
    provider: asked.provider,
    noteReason: (reason) => {
      noteReason(deps, run, reason);
    },
  };
}
