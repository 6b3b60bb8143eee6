import { adapterNames, agentOfCell, knownAgents } from '../agents/index.js';
import { parseJudgeName } from '../lib/model-name.js';
import { knownProviders } from '../platform/models/model-providers.js';
import type { Config } from '../scenario/config.js';
import { UsageError } from '../lib/errors/usage-error.js';

/** @throws UsageError for an agent that may spend money if LLM_TOOL_TEST_ENABLED=1 is not set */
export function checkAgentConsent({ agents }: Config, name: string): void {
  if (hasConsent() || agentOfCell({ agent: name }, knownAgents(agents))?.free === true) return;
  throw notEnabled(`agent '${name}'`, 'run', orFreeAgent(name));
}

/**
 * `canBeLeftOut`: whether the run can do without the judge.
 *
 * @throws UsageError for a judge that may spend money if LLM_TOOL_TEST_ENABLED=1 is not set
 */
export function checkJudgeConsent({ agents, providers }: Config, model: string, canBeLeftOut: boolean): void {
  const judge = parseJudgeName(model);
  if (hasConsent() || !judge.ok) return;
  const [who, remedy] =
    judge.by === 'agent'
      ? [knownAgents(agents).get(judge.agent), orFreeAgent(judge.agent)]
      : [
          knownProviders(providers).get(judge.provider),
          Object.hasOwn(providers, judge.provider) ? orFree(`providers.${judge.provider}`) : '',
        ];
  if (who?.free === true) return;
  throw notEnabled(`the judge ${model}`, 'ask', `${remedy}${canBeLeftOut ? '; or use --no-judge' : ''}`);
}

const hasConsent = (): boolean => process.env['LLM_TOOL_TEST_ENABLED'] === '1';

const notEnabled = (who: string, verb: string, remedy: string): UsageError =>
  new UsageError('not_enabled', `${who} may spend money: set LLM_TOOL_TEST_ENABLED=1 to ${verb} it${remedy}`);

const orFree = (table: string): string => `, or set free = true in [${table}] if it costs nothing`;

/** Empty for built-in agents: they cost money, and `free` cannot be set in their tables. What `eliza` costs is up to its plugins. */
const orFreeAgent = (name: string): string =>
  adapterNames.includes(name) && name !== 'eliza' ? '' : orFree(`agents.${name}`);
