import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Agent } from '../agents/agent.js';
import { knownAgents } from '../agents/index.js';
import { suggest } from '../lib/suggest.js';
import type { Cell } from '../results/records/cell.js';
import { tooLongCell } from '../results/records/longest-names.js';
import { expandMatrix } from '../scenario/expand-matrix.js';
import type { EffectiveScenario, Plan } from '../scenario/plan.js';
import { serverAddresses } from '../scenario/database.js';
import {
  findAgentStep,
  isApart,
  withAgentTimeout,
  withoutMocks,
  type Scenario,
} from '../scenario/scenario.js';
import type { Target } from '../scenario/target.js';
import type { Project } from './project.js';
import { UsageError } from '../lib/errors/usage-error.js';
import { agentSettings, checkAgent, checkModel } from './check-agent.js';
import { chooseAsked, chooseJudge, type JudgeFlags } from './choose-judge.js';
import { chooseVariants } from './choose-variants.js';
import { locateBuild, locateTarget } from './locate-target.js';
import { findRuntime } from './find-runtime.js';
import { matrixProblems, profileProblems } from './matrix-problems.js';
import { agentsOfJudges, neededVariables, providersOfCells, providersOfJudges } from './needed-variables.js';
import type { SelectedScenario, SelectedVariant } from './select-scenarios.js';

/** The flags of a sweep. Lists are empty if the flag was not given. */
export interface SweepFlags extends JudgeFlags {
  agents: string[];
  models: string[];
  variants: string[];
  profile?: string;
  repeat?: number;
  concurrency?: number;
  timeoutSecs?: number;
  targetBinary?: string;
  /** Whether finished runs with the same inputs may be reused. */
  cache: boolean;
  /** Whether mocks are ignored. */
  live: boolean;
  /** Limit for the whole sweep, in US dollars. */
  maxUsd?: number;
  name?: string;
}

/** A sweep that has been checked, but whose plan is not written yet. */
export interface ResolvedSweep {
  concurrency: number;
  cache: boolean;
  live: boolean;
  maxUsd: number | null;
  cells: Cell[];
  /** One entry for each variant of each scenario. */
  scenarios: ResolvedScenario[];
  agents: Plan['agents'];
  providers: Plan['providers'];
  /** Names of the environment variables whose values the runs need. */
  variables: string[];
}

interface ResolvedScenario {
  selected: SelectedScenario;
  variant: SelectedVariant;
  effective: Omit<EffectiveScenario, 'fixture'>;
}

const DEFAULT_CONCURRENCY = 4;

/**
 * Resolves agents, models, targets and limits of a sweep. Writes nothing.
 *
 * @throws UsageError for the first problem
 */
export function resolveSweep(project: Project, all: SelectedScenario[], flags: SweepFlags): ResolvedSweep {
  const selected = chooseVariants(all, flags.variants);
  const { config } = project;
  const known = knownAgents(config.agents);
  const agentless = new Set(
    selected.flatMap(({ scenario }) => (findAgentStep(scenario) === null ? [scenario.name] : [])),
  );
  const { cells, withoutAgent } = expandMatrix(
    selected.map(({ scenario, variants }) => ({
      ...scenario,
      needsAgent: !agentless.has(scenario.name),
      variants: variants.map(({ variant, scenario: { agents } }) => ({ variant, agents })),
    })),
    {
      flags: {
        agents: flags.agents,
        models: flags.models,
        ...(flags.repeat === undefined ? {} : { repeat: flags.repeat }),
      },
      profile: profileOf(project, flags.profile),
      defaultAgents: [process.env['LLM_TOOL_TEST_TOOL'] ?? ''].filter((name) => name !== ''),
      agentModels: Object.fromEntries([...known].map(([name, { models }]) => [name, models])),
    },
  );
  if (withoutAgent.length > 0) {
    throw new UsageError(
      'no_agent',
      `no agent is set for ${withoutAgent.join(', ')}; use --agents, a profile or tool_matrix. Known agents: ${[...known.keys()].join(', ')}`,
    );
  }
  checkMatrixInFiles(project, known, selected, flags);
  const withAgent = cells.filter(({ scenario }) => !agentless.has(scenario));
  const used = [...new Set(withAgent.map(({ agent }) => agent))];
  for (const name of used) checkAgent(name, known);
  for (const { agent, model } of withAgent) checkModel(project, known.get(agent), model);
  checkLengths(cells);
  const scenarios = selected.flatMap((one) =>
    one.variants.map((variant) => ({
      selected: one,
      variant,
      effective: {
        ...effectiveScenario(project, one, variant, flags),
        ...hostOf(one, variant, agentsOf(cells, one.scenario.name, known)),
      },
    })),
  );
  if (flags.targetBinary !== undefined && scenarios.every(({ effective }) => effective.target === null))
    throw new UsageError(
      'target_missing',
      '--target-binary has no effect: no selected scenario has a target',
    );
  const judges = scenarios.map(({ effective }) => effective.judge ?? effective.asked ?? null);
  const agents = agentSettings(project, [...used, ...agentsOfJudges(judges)]);
  const asked = new Set([...providersOfCells(known, cells), ...providersOfJudges(known, judges)]);
  const providers = Object.fromEntries(Object.entries(config.providers).filter(([name]) => asked.has(name)));
  return {
    concurrency: flags.concurrency ?? config.limits.concurrency ?? DEFAULT_CONCURRENCY,
    cache: flags.cache,
    live: flags.live,
    maxUsd: flags.maxUsd ?? null,
    cells,
    scenarios,
    agents,
    providers,
    variables: neededVariables({
      targets: scenarios.map(({ effective }) => effective.target),
      servers: scenarios.flatMap(({ effective }) => serverAddresses(effective.scenario.databases)),
      ...{ agents, cells, providers, judges },
      environments: scenarios.map(({ effective }) => effective.scenario.environment),
      runtimes: scenarios.map(({ effective }) => effective.scenario.runtime),
    }),
  };
}

/**
 * Reports problems with agents and models at their place in a file: in the scenario's matrix, or in the profile.
 * Ignores matrix and profile where flags or the matrix override them.
 *
 * @throws UsageError
 */
function checkMatrixInFiles(
  project: Project,
  known: ReadonlyMap<string, Agent>,
  selected: readonly SelectedScenario[],
  { agents, models, profile }: SweepFlags,
): void {
  if (agents.length > 0) return;
  const { configSource } = project;
  const texts = new Map(selected.map(({ file, text }) => [file, text]));
  if (configSource !== null) texts.set(configSource.file, configSource.text);
  const found = [
    ...selected
      .flatMap((one) => matrixProblems(project, known, one))
      // models from flags replace those of the matrix
      .filter(({ kind }) => kind === 'unknown_agent' || models.length === 0),
    ...(profile === undefined || selected.every(({ scenario }) => scenario.agents.length > 0)
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
function checkLengths(cells: readonly Cell[]): void {
  const message = cells.map(tooLongCell).find((problem) => problem !== null) ?? null;
  if (message !== null) throw new UsageError('name_too_long', message);
}

function profileOf(
  { config }: Project,
  name: string | undefined,
): { agents: string[]; models: string[] } | null {
  if (name === undefined) return null;
  const profile = Object.hasOwn(config.profiles, name) ? config.profiles[name] : undefined;
  if (profile !== undefined) return profile;
  const known = Object.keys(config.profiles);
  const near = suggest(name, known);
  throw new UsageError(
    'unknown_profile',
    `unknown profile '${name}'${near === null ? '.' : `; did you mean '${near}'?`} ${known.length === 0 ? 'The config file defines none.' : `Known: ${known.join(', ')}.`}`,
  );
}

const agentsOf = (cells: readonly Cell[], scenario: string, known: ReadonlyMap<string, Agent>): Agent[] => [
  ...new Set(cells.flatMap((cell) => (cell.scenario === scenario ? (known.get(cell.agent) ?? []) : []))),
];

/** Where the agents that run in the agent host find what they consist of. */
function hostOf(
  { path }: SelectedScenario,
  { scenario }: SelectedVariant,
  agents: readonly Agent[],
): Pick<EffectiveScenario, 'host'> {
  if (!agents.some(({ isHosted }) => isHosted === true)) return {};
  const folder = dirname(path);
  const hasEliza = agents.some(({ name }) => name === 'eliza');
  return { host: { folder, reads: hasEliza ? findRuntime(folder, scenario).reads : [] } };
}

function effectiveScenario(
  project: Project,
  selected: SelectedScenario,
  variant: SelectedVariant,
  flags: SweepFlags,
): Omit<EffectiveScenario, 'fixture'> {
  const { scenario } = variant;
  const { file } = selected;
  const used = flags.live ? withoutMocks(scenario) : scenario;
  const base = scenario.target === 'from_config' ? project.config.target : scenario.target;
  if (base === undefined) throw new Error(`${file}: target from_config passed validation without a [target]`);
  const asked = chooseAsked(project, selected, variant, flags);
  return {
    schema_version: 2,
    scenario: flags.timeoutSecs === undefined ? used : withAgentTimeout(used, flags.timeoutSecs),
    ...(base === null
      ? { target: null, target_path: null }
      : {
          target: { ...base, env: { ...base.env, ...variant.env } },
          target_path: targetPath(project, selected, variant, base, flags),
          ...targetFiles(project, selected, variant, base, flags),
        }),
    judge: chooseJudge(project, selected, flags),
    ...(asked === undefined ? {} : { asked }),
  };
}

/**
 * Resolves `target.files`. It is ignored for another build (`--target-binary`, or a variant's), which may have other
 * files, unless the list is empty: the other build then has no further files either.
 *
 * @throws UsageError if one of the files does not exist
 */
function targetFiles(
  { root }: Project,
  { path, file, text, problemAt }: SelectedScenario,
  { scenario, targetBinary }: SelectedVariant,
  { files }: Target,
  flags: SweepFlags,
): Pick<EffectiveScenario, 'target_files'> {
  const isOther = flags.targetBinary !== undefined || targetBinary !== null;
  if (files === undefined || (isOther && files.length > 0)) return {};
  const fromConfig = scenario.target === 'from_config';
  const target_files = files.map((one) => resolve(fromConfig ? root : dirname(path), one));
  const missing = target_files.findIndex((one) => !existsSync(one));
  if (missing === -1) return { target_files };
  const message = `target.files: '${files[missing]}' was not found from ${fromConfig ? root : dirname(path)}; correct the path, or create it first`;
  const place = fromConfig ? ['target'] : ['target', 'files', missing];
  throw new UsageError('target_missing', message, [problemAt(place, message)], new Map([[file, text]]));
}

/**
 * Returns the absolute path of the target, or null if the run looks it up. `--target-binary` overrides the variant's
 * build, which overrides the target.
 *
 * @throws UsageError if the target is not found, or cannot be used in the scenario's container
 */
function targetPath(
  { root }: Project,
  { path, file, text }: SelectedScenario,
  { scenario, fixture, targetBinary, problemAt }: SelectedVariant,
  { binary }: Target,
  flags: SweepFlags,
): string | null {
  const folder = dirname(path);
  const fromConfig = scenario.target === 'from_config';
  const [located, places] =
    flags.targetBinary !== undefined
      ? // a flag has no place in a file
        [locateBuild(flags.targetBinary, process.cwd(), `--target-binary ${flags.targetBinary}`), []]
      : targetBinary !== null
        ? [locateBuild(targetBinary, folder), [['target', 'binary']]]
        : [
            locateTarget(binary, fromConfig ? root : folder, fixture),
            [fromConfig ? ['target'] : ['target', 'binary']],
          ];
  const message = located.found ? whyNotInside(scenario, located.path) : located.message;
  if (located.found && message === null) return located.path;
  const problems = places.map((place) => problemAt(place, message ?? ''));
  throw new UsageError('target_missing', message ?? '', problems, new Map([[file, text]]));
}

/** Why the environment cannot use a target at this path. Containers and cloud sandboxes share no files with this machine. */
function whyNotInside({ environment }: Scenario, path: string | null): string | null {
  if (path === null || !isApart(environment)) return null;
  const [place, source] =
    environment.type === 'docker' ? ['container', environment.image] : ['sandbox', 'the template'];
  return `the target ${path} is not in the ${place} of environment.type ${environment.type}; name a program on the PATH of ${source}, or a path into the fixture`;
}
