import { variablesOfRuntime } from '#agent-host';
import { adaptersWith, type Agent, agentOfCell, knownAgents } from '#agents';
import { isMirror, knownProviders, missingVariables } from '#host';
import type { Path } from '#input';
import { defined, parseJudgeName, type Problem, UsageError, variableNames } from '#lib';
import { containerVariables, serverAddresses } from '#scenario';
import { variablesOfSubject } from '#subjects';
import type { ResolvedScenario, ResolvedSweep } from './resolve-sweep.js';

/** A variable without a value, who needs it, and where a file says so. */
interface Unset {
  name: string;
  /** Null for a `${NAME}` in a file. */
  needer: string | null;
  place: Problem | null;
  /** Something else that the user can do. */
  or?: string;
}

/** The fields of a scenario in which `${NAME}` is a variable of the shell. */
const FIELDS = ['target', 'task', 'databases', 'runtime', 'subject', 'checks', 'steps'] as const;

/**
 * Refuses a sweep if variables that its runs need have no value here: each of the runs would end with an error. Hosts
 * that share results take the values from their own environment.
 *
 * @throws UsageError with all of them, and their places in files
 */
export function variablesAreSet(sweep: ResolvedSweep): void {
  if (isMirror(sweep.project.resultsPath)) return;
  const startsAgents = sweep.regrade?.or_run !== false;
  const unset = [
    ...sweep.scenarios.flatMap((one) => unsetInScenario(sweep, one, startsAgents)),
    ...unsetInConfig(sweep),
    ...unsetKeys(sweep, startsAgents),
  ];
  if (unset.length === 0) return;
  const reasons = new Map<string, string>();
  for (const { name, needer } of unset)
    if (!reasons.has(name)) reasons.set(name, needer === null ? name : `${name} (for ${needer})`);
  const problems = unset.flatMap(({ place }) => place ?? []);
  const texts = new Map(sweep.scenarios.map(({ selected }) => [selected.file, selected.text]));
  const { configSource } = sweep.project;
  if (configSource !== null) texts.set(configSource.file, configSource.text);
  throw new UsageError(
    'unset_variable',
    `not set: ${[...reasons.values()].join(', ')}; export ${reasons.size === 1 ? 'it' : 'them'}, or name a file that sets ${reasons.size === 1 ? 'it' : 'them'} with --env-file${unset.find(({ or }) => or !== undefined)?.or ?? ''}`,
    [...new Map(problems.map((one) => [JSON.stringify(one), one])).values()],
    texts,
  );
}

const isSet = ({ environment }: ResolvedSweep, name: string): boolean => environment[name] !== undefined;

/** The values that are set. */
const valuesOf = ({ environment }: ResolvedSweep): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );

function unsetInScenario(sweep: ResolvedSweep, one: ResolvedScenario, startsAgents: boolean): Unset[] {
  const { effective, variant } = one;
  const { scenario, target, host, subject } = effective;
  const { runtime } = scenario;
  const names = [
    ...(target === null ? [] : Object.values(target.env).flatMap(variableNames)),
    ...containerVariables(scenario).flatMap((env) => Object.values(env).flatMap(variableNames)),
    ...serverAddresses(scenario.databases).flatMap(variableNames),
    ...(startsAgents && runtime !== undefined && host !== undefined ? variablesOfRuntime(runtime) : []),
    ...(startsAgents ? variablesOfSubject(subject) : []),
  ].filter((name) => !isSet(sweep, name));
  return [...new Set(names)].map((name): Unset => {
    const place = FIELDS.flatMap((field) => placesIn(name, variant.scenario[field], [field]))[0] ?? [];
    return { name, needer: null, place: variant.problemAt(place, `\${${name}} is not set`) };
  });
}

/** Finds the texts in a value that refer to a variable. */
function placesIn(name: string, value: unknown, path: Path): Path[] {
  if (typeof value === 'string') return variableNames(value).includes(name) ? [path] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    placesIn(name, inner, [...path, Array.isArray(value) ? Number(key) : key]),
  );
}

/** `${NAME}` in the settings of the agents and providers that take part. */
function unsetInConfig(sweep: ResolvedSweep): Unset[] {
  const { configSource } = sweep.project;
  const tables = [
    ...Object.entries(sweep.agents).map(([name, { env }]) => [['agents', name, 'env'], env] as const),
    ...Object.entries(sweep.providers).map(([name, { base_url, api_key }]) => {
      // An empty key counts as missing, because every service would refuse it.
      return [['providers', name], { base_url, ...defined({ api_key }) }] as const;
    }),
  ];
  return tables.flatMap(([path, texts]) =>
    Object.entries(texts).flatMap(([key, text]) =>
      variableNames(text)
        .filter((name) => (path[0] === 'agents' ? !isSet(sweep, name) : (sweep.environment[name] ?? '') === ''))
        .map((name) => ({
          name,
          needer: null,
          place: configSource?.problemAt([...path, key], `\${${name}} is not set`) ?? null,
        })),
    ),
  );
}

const canLogIn = ({ adapter }: Agent): boolean => adaptersWith('auth').includes(adapter ?? '');

/** The keys of built-in providers, for agents that use no login, and for judges. */
function unsetKeys(sweep: ResolvedSweep, startsAgents: boolean): Unset[] {
  const known = knownAgents(sweep.agents);
  const services = knownProviders(sweep.providers);
  const values = valuesOf(sweep);
  const missing = (provider: string | null, needer: string): Unset[] => {
    const service = provider === null || Object.hasOwn(sweep.providers, provider) ? undefined : services.get(provider);
    return service === undefined
      ? []
      : missingVariables(service, values).map((name) => ({ name, needer, place: null }));
  };
  const ofAgent = (name: string, model: string): Unset[] => {
    const agent = agentOfCell({ agent: name }, known);
    if (agent === undefined || agent.login !== null) return [];
    const or = canLogIn(agent) ? `, or set auth to "login" in [agents.${name}] if you have logged in` : '';
    return missing(agent.provider(model), `the agent ${name}`).map((one) => ({ ...one, or }));
  };
  const agentless = new Set(
    sweep.scenarios.flatMap(({ effective: { scenario } }) =>
      scenario.steps.some(({ kind }) => kind === 'agent') ? [] : [scenario.name],
    ),
  );
  return [
    ...(startsAgents ? sweep.cells : []).flatMap(({ agent, model, scenario }) =>
      agentless.has(scenario) ? [] : ofAgent(agent, model),
    ),
    ...sweep.scenarios.flatMap(({ effective: { judge, asked } }) => {
      const name = parseJudgeName((judge ?? asked)?.model ?? '');
      if (!name.ok) return [];
      return name.by === 'agent'
        ? ofAgent(name.agent, name.model)
        : missing(name.provider, `the model ${name.provider}/${name.model}`);
    }),
  ];
}
