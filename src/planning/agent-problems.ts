import { apartFrom } from '#environments';
import { resolve } from 'node:path';
import type { Agent } from '#agents';
import { knownProviders } from '#host';
import type { Path } from '#input';
import { type Problem, suggest, UsageError } from '#lib';
import { isServiceMock } from '#mocks';
import { type Cell, tooLongCell } from '#model';
import { type Config, expandMatrix, findAgentStep, type Plan } from '#scenario';
import type { StoredSubject } from '#subjects';
import type { Draft } from './draft.js';
import type { Project } from './project.js';
import type { SelectedScenario, SelectedVariant } from './select-scenarios.js';

/** Returns why there is no agent of this name. Null if the agent is known. */
export function agentProblem(name: string, known: ReadonlyMap<string, Agent>): string | null {
  if (known.has(name)) return null;
  const names = [...known.keys()];
  const near = suggest(name, names);
  return `unknown agent '${name}'${near === null ? '.' : `; did you mean '${near}'?`} Known agents: ${names.join(', ')}. Define others in [agents.${name}] in llm-tool-test-config.toml`;
}

/** Returns why an agent cannot be run with a model. Null if it can. */
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

/** Returns why an agent cannot be given the subject of a scenario. Null if it can, or if there is none. */
function agentSubjectProblem(
  { name, subject: places, mcpProblem }: Agent,
  subject: readonly StoredSubject[],
): string | null {
  if (typeof places === 'string' && subject.some(({ kind }) => kind !== 'mcp'))
    return `${name} cannot be given skills or instructions: ${places}`;
  if (typeof places !== 'string' && places.plugin === undefined && subject.some(({ kind }) => kind === 'plugin'))
    return `${name} cannot be given plugins of Claude Code; use claude-code, or name the skills, instructions and MCP servers of the plugin in the subject instead`;
  return mcpProblem !== null && subject.some(({ kind }) => kind === 'mcp')
    ? `${name} cannot be given MCP servers: ${mcpProblem}`
    : null;
}

/** @throws UsageError for an agent that is not defined */
export function checkAgent(name: string, known: ReadonlyMap<string, Agent>): void {
  const problem = agentProblem(name, known);
  if (problem !== null) throw new UsageError('unknown_agent', problem);
}

/** @throws UsageError for a model that the agent cannot be run with */
export function checkModel({ config }: Project, agent: Agent | undefined, model: string): void {
  const problem = agent === undefined ? null : agentModelProblem(config, agent, model);
  if (problem !== null) throw new UsageError(problem.kind, problem.message);
}

/** @throws UsageError for an agent that cannot be given the subject of a scenario that it runs */
export function checkSubject(agent: Agent | undefined, scenario: string, subject: readonly StoredSubject[]): void {
  const problem = agent === undefined ? null : agentSubjectProblem(agent, subject);
  if (problem !== null) throw new UsageError('agent_subject', `${scenario}: ${problem}`);
}

/** The config's settings of the used agents, as they are stored in the plan. */
export const agentSettings = ({ config, root }: Project, used: readonly string[]): Plan['agents'] =>
  Object.fromEntries(
    Object.entries(config.agents)
      .filter(([name]) => used.includes(name))
      // Made absolute: the path is relative to the config file, but the agent starts in its workspace.
      .map(([name, agent]) => [
        name,
        {
          ...agent,
          ...(agent.command?.includes('/') === true ? { command: resolve(root, agent.command) } : {}),
          ...(agent.module === undefined ? {} : { module: resolve(root, agent.module) }),
        },
      ]),
  );

type Kind = 'unknown_agent' | 'agent_model' | 'unknown_provider' | 'agent_subject';

/** Finds problems with the agents and models in a scenario's own matrix. */
export function matrixProblems(
  { config }: Project,
  known: ReadonlyMap<string, Agent>,
  { variants }: SelectedScenario,
): { kind: Kind; problem: Problem }[] {
  const found = variants.flatMap((variant) => problemsOfVariant(config, known, variant));
  // Variants share most of their agents.
  return [...new Map(found.map((one) => [JSON.stringify(one), one])).values()];
}

function problemsOfVariant(
  config: Project['config'],
  known: ReadonlyMap<string, Agent>,
  { scenario, subject, problemAt }: SelectedVariant,
): { kind: Kind; problem: Problem }[] {
  return scenario.agents.flatMap(({ agent: name, models }, index): { kind: Kind; problem: Problem }[] => {
    const at = ['agents', index];
    const agent = known.get(name);
    if (agent === undefined) {
      const message = agentProblem(name, known) ?? '';
      return [{ kind: 'unknown_agent', problem: problemAt([...at, 'agent'], message) }];
    }
    const refused = agentSubjectProblem(agent, subject);
    if (refused !== null) return [{ kind: 'agent_subject', problem: problemAt([...at, 'agent'], refused) }];
    return models.flatMap((model, nth) => {
      const wrong = agentModelProblem(config, agent, model);
      if (wrong === null) return [];
      return [{ kind: wrong.kind, problem: problemAt([...at, 'models', nth], wrong.message) }];
    });
  });
}

/** Finds undefined agents in the config's profiles: in the profile `only`, or in all. */
export function profileProblems(
  { config, configSource }: Project,
  known: ReadonlyMap<string, Agent>,
  only?: string,
): Problem[] {
  if (configSource === null) return [];
  return Object.entries(config.profiles)
    .filter(([name]) => only === undefined || name === only)
    .flatMap(([name, { agents }]) =>
      agents.flatMap((agent) => {
        const message = agentProblem(agent, known);
        return message === null ? [] : [configSource.problemAt(['profiles', name, 'agents'], message)];
      }),
    );
}

/** Reports the first cell of the scenario's own matrix whose id is too long. */
export function lengthProblems(
  known: ReadonlyMap<string, Agent>,
  { scenario, variants, problemAt }: SelectedScenario,
): Problem[] {
  const { cells } = expandMatrix(
    [
      {
        ...scenario,
        repeat: 1,
        needsAgent: findAgentStep(scenario) !== null,
        variants: variants.map(({ variant, scenario: { agents } }) => ({ variant, agents })),
      },
    ],
    {
      flags: {},
      profile: null,
      defaultAgents: ['mock'],
      agentModels: Object.fromEntries([...known].map(([name, { models }]) => [name, models])),
    },
  );
  const messages = cells.flatMap((cell) => tooLongCell(cell) ?? []);
  return messages.slice(0, 1).map((message) => problemAt(['name'], message));
}

/** Returns what the agents that a scenario itself names, or its lack of any, cannot do for it. */
export const misfitsOfOwnAgents = (
  known: ReadonlyMap<string, Agent>,
  { variants }: Pick<SelectedScenario, 'variants'>,
): Problem[] =>
  variants.flatMap((variant) => {
    const { scenario } = variant;
    const own = scenario.agents.map(({ agent }) => agent).filter((name) => known.has(name));
    return misfits(known, findAgentStep(scenario) === null ? ['none'] : own, variant);
  });

/** The place in a scenario, and the reason why an agent cannot work in its container; null if it can. */
function containerProblem(agent: Agent, { environment, task }: SelectedVariant['scenario']): [Path, string] | null {
  const { name, free, isLoop = false, solvesTasks, subject, mcpProblem } = agent;
  const mountable = agent.mountable === true && environment.type !== 'kubernetes';
  if (solvesTasks === true && task === undefined)
    return [['steps'], `the agent ${name} runs the solution of a task folder, and this scenario is none`];
  if (free && !isLoop && !mountable) return null;
  const isShut = (environment.type === 'docker' || environment.type === 'kubernetes') && environment.network === 'none';
  const shut = isShut && !isLoop ? unreachable(agent, mountable, apartFrom(environment)?.place) : null;
  if (shut !== null) return [['environment', 'network'], shut];
  if (task?.skills_dir !== undefined && (!mountable || typeof subject === 'string'))
    return [['task', 'skills_dir'], `the agent ${name} cannot be given skills that are in an image`];
  if (task?.mcp_servers === undefined) return null;
  const why = isLoop ? 'its programs are on this machine, not in the container' : mcpProblem;
  return mountable && why === null
    ? null
    : [
        ['task', 'mcp_servers'],
        `the agent ${name} cannot be given the MCP servers of a task folder${why === null ? '' : `: ${why}`}`,
      ];
}

/** The reason why an agent in a container or pod without network cannot reach its model; null if it can. */
function unreachable(agent: Agent, mountable: boolean, place = 'container'): string | null {
  const { name, login, adapter } = agent;
  const otherwise = `use the agent loop, which asks its model from outside the ${place}`;
  if (!mountable)
    return `the agent ${name} asks its model from within the ${place}, which has no network; ${otherwise}`;
  if (login !== null)
    return `the agent ${name} uses a login, for which it needs the network that the ${place} does not have; use a key, or ${otherwise}`;
  return adapter === undefined && agent.provider('openai/any') === null
    ? `it is not known where the agent ${name} reaches its model, and the ${place} has no network; ${otherwise}`
    : null;
}

/** The reason why agents cannot work where a scenario runs, or do not have the services that it mocks. */
export function misfits(
  known: ReadonlyMap<string, Agent>,
  agents: readonly string[],
  { scenario, problemAt }: Pick<SelectedVariant, 'scenario' | 'problemAt'>,
): Problem[] {
  const { mocks = [], environment } = scenario;
  return [...new Set(agents)].flatMap((name): Problem[] => {
    const agent = known.get(name);
    const { isHosted = false, needsNode = false, mountable = false } = agent ?? {};
    const unfit = agent === undefined ? null : containerProblem(agent, scenario);
    if (unfit !== null) return [problemAt(...unfit)];
    if (needsNode && apartFrom(environment) !== null && !(mountable && environment.type === 'docker'))
      return [
        problemAt(
          ['environment', 'type'],
          `the agent ${name} cannot run in environment.type ${environment.type}; use local or bubblewrap`,
        ),
      ];
    if (isHosted) return [];
    return mocks.flatMap((mock, index) =>
      isServiceMock(mock)
        ? [
            problemAt(
              ['mocks', index, 'service'],
              `${name === 'none' ? 'no agent takes part, and a command' : `the agent ${name}`} has no services; a service can be mocked only with the agent eliza or an agent with a module`,
            ),
          ]
        : [],
    );
  });
}

/**
 * Reports problems with agents and models at their place in a file: in the scenario's matrix, or in the profile.
 * Ignores matrix and profile where flags or the matrix override them.
 *
 * @throws UsageError
 */
export function checkMatrixInFiles(
  project: Project,
  known: ReadonlyMap<string, Agent>,
  selected: readonly SelectedScenario[],
  { agents, models, profile }: Pick<Draft, 'agents' | 'models' | 'profile'>,
): void {
  if (agents.length > 0) return;
  const { configSource } = project;
  const texts = new Map(selected.map(({ file, text }) => [file, text]));
  if (configSource !== null) texts.set(configSource.file, configSource.text);
  const found = [
    ...selected
      .flatMap((one) => matrixProblems(project, known, one))
      // Models from flags replace those of the matrix.
      .filter(({ kind }) => kind === 'unknown_agent' || models.length === 0),
    ...(profile === null || selected.every(({ scenario }) => scenario.agents.length > 0)
      ? []
      : profileProblems(project, known, profile).map((problem) => ({
          kind: 'unknown_agent' as const,
          problem,
        }))),
  ];
  const [first] = found;
  if (first === undefined) return;
  throw new UsageError(
    first.kind,
    first.problem.message,
    found.map(({ problem }) => problem),
    texts,
  );
}

/** @throws UsageError for names so long that Temporal would reject the runs */
export function checkLengths(cells: readonly Cell[]): void {
  const message = cells.map(tooLongCell).find((problem) => problem !== null) ?? null;
  if (message !== null) throw new UsageError('name_too_long', message);
}
