import { type RuntimeSetup, variablesOfRuntime } from '#agent-host';
import { type Agent, knownAgents } from '#agents';
import { missingInEnvironment, variablesOfEnvironment } from '#environments';
import { knownProviders, missingVariables } from '#host';
import { parseJudgeName, referredNames, variableNames } from '#lib';
import type { Plan } from '#scenario';
import { type StoredSubject, variablesOfSubject } from '#subjects';

/** The parts of a sweep that need variables. */
export interface Needs extends Pick<Plan, 'agents' | 'providers'> {
  targets: readonly ({ env: Record<string, string> } | null)[];
  /** Addresses of the servers of databases. */
  servers?: readonly string[];
  /** The cells to run. `agents` has the config's settings of their agents, and of agents that judge. */
  cells: Iterable<{ agent: string; model: string }>;
  judges: readonly ({ model: string } | null)[];
  environments: readonly { type: string }[];
  /** The setups of agents in the agent host, from the scenarios. */
  runtimes?: readonly (RuntimeSetup | undefined)[];
  /** Variables that plugins may read; they can also have no value. */
  settings?: readonly string[];
  /** The subjects of the scenarios. */
  subjects?: readonly (StoredSubject[] | undefined)[];
}

/** The names of the providers whose keys the agents of these cells get. */
export const providersOfCells = (
  known: ReadonlyMap<string, Agent>,
  cells: Iterable<{ agent: string; model: string }>,
): Set<string> => new Set([...cells].flatMap(({ agent, model }) => known.get(agent)?.provider(model) ?? []));

const namesOf = (judges: Needs['judges']) =>
  judges.flatMap((judge) => {
    const name = parseJudgeName(judge?.model ?? '');
    return name.ok ? [name] : [];
  });

/** The names of the agents that judge. */
export const agentsOfJudges = (judges: Needs['judges']): string[] =>
  namesOf(judges).flatMap((name) => (name.by === 'agent' ? [name.agent] : []));

/** The names of the providers that serve the judges, or whose keys the judges get if they are agents. */
export const providersOfJudges = (known: ReadonlyMap<string, Agent>, judges: Needs['judges']): string[] =>
  namesOf(judges).flatMap((name) =>
    name.by === 'api' ? name.provider : (known.get(name.agent)?.provider(name.model) ?? []),
  );

const namesIn = (one: Needs['targets'][number]): string[] => (one === null ? [] : referredNames(one.env));

const namesInScenarios = ({ runtimes = [], subjects = [] }: Needs): string[] => [
  ...runtimes.flatMap((runtime) => (runtime === undefined ? [] : variablesOfRuntime(runtime))),
  ...subjects.flatMap(variablesOfSubject),
];

/**
 * The names of the variables that a sweep takes from the shell: each `${NAME}`, and the keys of agents, judges and
 * cloud sandboxes.
 */
export function neededVariables(needs: Needs): string[] {
  const { targets, agents, cells, providers, judges, environments, servers = [] } = needs;
  const known = knownAgents(agents);
  const services = knownProviders(providers);
  const names = [
    ...[...targets, ...Object.values(agents)].flatMap(namesIn),
    ...namesInScenarios(needs),
    ...(needs.settings ?? []),
    ...servers.flatMap(variableNames),
    ...[...providersOfCells(known, cells), ...providersOfJudges(known, judges)].flatMap(
      (name) => services.get(name)?.variables ?? [],
    ),
    ...environments.flatMap(variablesOfEnvironment),
  ];
  return [...new Set(names)];
}

/** The variables for which a sweep has no value. A provider's key is "A or B" if either of them is enough. */
export function unsetVariables(needs: Needs, values: Readonly<Record<string, string>>): string[] {
  const known = knownAgents(needs.agents);
  const services = knownProviders(needs.providers);
  // An agent that uses a login needs no key.
  const cells = [...needs.cells].filter(({ agent }) => known.get(agent)?.login === null);
  const asked = new Set([...providersOfCells(known, cells), ...providersOfJudges(known, needs.judges)]);
  const referred = [
    ...[...needs.targets, ...Object.values(needs.agents)].flatMap(namesIn),
    ...namesInScenarios(needs),
    ...(needs.servers ?? []).flatMap(variableNames),
  ];
  return [
    ...new Set([
      ...referred.filter((name) => !Object.hasOwn(values, name)),
      ...needs.environments.flatMap((one) => missingInEnvironment(one, values)),
      ...[...asked].flatMap((name) => {
        const service = services.get(name);
        return service === undefined ? [] : missingVariables(service, values);
      }),
    ]),
  ];
}
