import type { Agent } from '../agents/agent.js';
import { knownAgents } from '../agents/index.js';
import { referredNames } from '../lib/interpolate.js';
import { parseJudgeName } from '../lib/model-name.js';
import { knownProviders, missingVariables } from '../platform/models/model-providers.js';
import type { Plan } from '../scenario/plan.js';

/** What a sweep runs, as far as it needs variables. */
export interface Needs extends Pick<Plan, 'agents' | 'providers'> {
  targets: readonly { env: Record<string, string> }[];
  /** What is run; `agents` holds the config's settings of them, and of the agents that judge. */
  cells: Iterable<{ agent: string; model: string }>;
  judges: readonly ({ model: string } | null)[];
}

/** Names of the providers that agents get a key of. */
export const providersOfCells = (
  known: ReadonlyMap<string, Agent>,
  cells: Iterable<{ agent: string; model: string }>,
): Set<string> => new Set([...cells].flatMap(({ agent, model }) => known.get(agent)?.provider(model) ?? []));

const namesOf = (judges: Needs['judges']) =>
  judges.flatMap((judge) => {
    const name = parseJudgeName(judge?.model ?? '');
    return name.ok ? [name] : [];
  });

/** Names of the agents that judge. */
export const agentsOfJudges = (judges: Needs['judges']): string[] =>
  namesOf(judges).flatMap((name) => (name.by === 'agent' ? [name.agent] : []));

/** Names of the providers that judges are asked at, or whose key they get where they are agents. */
export const providersOfJudges = (known: ReadonlyMap<string, Agent>, judges: Needs['judges']): string[] =>
  namesOf(judges).flatMap((name) =>
    name.by === 'api' ? name.provider : (known.get(name.agent)?.provider(name.model) ?? []),
  );

/** Names of the variables that a sweep takes from the shell: those of `${NAME}`, the keys of its agents and judges. */
export function neededVariables({ targets, agents, cells, providers, judges }: Needs): string[] {
  const known = knownAgents(agents);
  const services = knownProviders(providers);
  const names = [
    ...[...targets, ...Object.values(agents)].flatMap(({ env }) => referredNames(env)),
    ...[...providersOfCells(known, cells), ...providersOfJudges(known, judges)].flatMap(
      (name) => services.get(name)?.variables ?? [],
    ),
  ];
  return [...new Set(names)];
}

/** Those of which a sweep has no value; a provider's key as "A or B" where any of them will do. */
export function unsetVariables(needs: Needs, values: Readonly<Record<string, string>>): string[] {
  const known = knownAgents(needs.agents);
  const services = knownProviders(needs.providers);
  // Who has logged in needs no key.
  const cells = [...needs.cells].filter(({ agent }) => known.get(agent)?.login === null);
  const asked = new Set([...providersOfCells(known, cells), ...providersOfJudges(known, needs.judges)]);
  const referred = [...needs.targets, ...Object.values(needs.agents)].flatMap(({ env }) =>
    referredNames(env),
  );
  return [
    ...new Set([
      ...referred.filter((name) => !Object.hasOwn(values, name)),
      ...[...asked].flatMap((name) => {
        const service = services.get(name);
        return service === undefined ? [] : missingVariables(service, values);
      }),
    ]),
  ];
}
