import { knownAgents } from '../agents/index.js';
import { variableNames } from '../lib/interpolate.js';
import { parseModelName } from '../lib/model-name.js';
import { knownProviders } from '../platform/model-providers.js';
import type { Plan } from '../scenario/plan.js';

/** What a sweep runs, as far as it needs variables. */
export interface Needs extends Pick<Plan, 'agents' | 'providers'> {
  targets: readonly { env: Record<string, string> }[];
  /** Names of the agents that are used; `agents` holds the config's. */
  used: Iterable<string>;
  judges: readonly ({ model: string } | null)[];
}

/** Names of the variables that a sweep takes from the shell: those of `${NAME}`, the keys of its agents and judges. */
export function neededVariables({ targets, agents, used, providers, judges }: Needs): string[] {
  const known = knownAgents(agents);
  const services = knownProviders(providers);
  const names = [
    ...[...targets, ...Object.values(agents)].flatMap(({ env }) => Object.values(env).flatMap(variableNames)),
    ...[...used].flatMap((name) => known.get(name)?.env ?? []),
    ...judges.flatMap((judge) => {
      const name = parseModelName(judge?.model ?? '');
      return name.ok ? (services.get(name.provider)?.variables ?? []) : [];
    }),
  ];
  return [...new Set(names)];
}
