import type { Agent } from '../agents/agent.js';
import { knownAgents } from '../agents/index.js';
import { suggest } from '../lib/suggest.js';
import type { UntilClear } from '../results/decision/until-clear.js';
import type { Cell } from '../results/records/cell.js';
import { tooLongCell } from '../results/records/longest-names.js';
import { expandMatrix } from '../scenario/expand-matrix.js';
import type { Plan, UnstoredScenario } from '../scenario/plan.js';
import { serverAddresses } from '../scenario/database.js';
import { findAgentStep } from '../scenario/scenario.js';
import type { Project } from './project.js';
import { UsageError } from '../lib/errors/usage-error.js';
import { agentSettings, checkAgent, checkModel, checkSubject } from './check-agent.js';
import type { JudgeFlags } from './choose-judge.js';
import { chooseCells } from './choose-cells.js';
import { chooseVariants } from './choose-variants.js';
import { effectiveScenario, type ScenarioFlags } from './effective-scenario.js';
import { matrixProblems, profileProblems } from './matrix-problems.js';
import { agentsOfJudges, neededVariables, providersOfCells, providersOfJudges } from './needed-variables.js';
import { pairUp, type ToDecide } from './pair-up.js';
import type { SelectedScenario, SelectedVariant } from './select-scenarios.js';
import { ownValue } from '../lib/own-value.js';

/** The flags of a sweep. Lists are empty if the flag was not given. */
export interface SweepFlags extends JudgeFlags, ScenarioFlags {
  agents: string[];
  models: string[];
  variants: string[];
  profile?: string;
  repeat?: number;
  /** Ids or labels of the cells to run. */
  cells?: string[];
  concurrency?: number;
  /** Whether finished runs with the same inputs may be reused. */
  cache: boolean;
  /** Limit for the whole sweep, in US dollars. */
  maxUsd?: number;
  /** Set if the sweep stops as soon as its verdict is clear. */
  toDecide?: ToDecide;
  /** Labels that a host must have to run a cell. */
  on?: string[];
  name?: string;
}

/** A sweep that has been checked, but whose plan is not written yet. */
export interface ResolvedSweep {
  concurrency: number;
  cache: boolean;
  live: boolean;
  maxUsd: number | null;
  on: string[];
  cells: Cell[];
  /** Set if the sweep stops as soon as its verdict is clear. */
  untilClear?: UntilClear;
  /** One entry for each variant of each scenario. */
  scenarios: ResolvedScenario[];
  agents: Plan['agents'];
  providers: Plan['providers'];
  /** Set if the work of earlier runs is checked again. */
  regrade?: NonNullable<Plan['regrade']>;
  /** Names of the environment variables whose values the runs need. */
  variables: string[];
}

export interface ResolvedScenario {
  selected: SelectedScenario;
  variant: SelectedVariant;
  effective: UnstoredScenario;
}

const DEFAULT_CONCURRENCY = 4;

/**
 * Resolves agents, models, targets and limits of a sweep. Writes nothing.
 *
 * @throws UsageError for the first problem
 */
export function resolveSweep(project: Project, all: SelectedScenario[], flags: SweepFlags): ResolvedSweep {
  const { toDecide } = flags;
  const matching = chooseVariants(all, withBase(flags.variants, toDecide));
  const { config } = project;
  const concurrency = flags.concurrency ?? config.limits.concurrency ?? DEFAULT_CONCURRENCY;
  const repeat = toDecide?.mostRuns ?? flags.repeat;
  const known = knownAgents(config.agents);
  const agentless = new Set(
    matching.flatMap(({ scenario }) => (findAgentStep(scenario) === null ? [scenario.name] : [])),
  );
  const { cells: expanded, withoutAgent } = expandMatrix(
    matching.map(({ scenario, variants }) => ({
      ...scenario,
      needsAgent: !agentless.has(scenario.name),
      variants: variants.map(({ variant, scenario: { agents } }) => ({ variant, agents })),
    })),
    {
      flags: {
        agents: flags.agents,
        models: flags.models,
        ...(repeat === undefined ? {} : { repeat }),
      },
      profile: profileOf(project, flags.profile),
      defaultAgents: [process.env['LLM_TOOL_TEST_TOOL'] ?? ''].filter((name) => name !== ''),
      agentModels: Object.fromEntries([...known].map(([name, { models }]) => [name, models])),
    },
  );
  if (withoutAgent.length > 0) {
    const isEliza = matching.some(
      ({ scenario }) => scenario.executions === true && withoutAgent.includes(scenario.name),
    );
    const inFile = isEliza ? 'agent in the file (character or plugins make it eliza)' : 'tool_matrix';
    throw new UsageError(
      'no_agent',
      `no agent is set for ${withoutAgent.join(', ')}; use --agents, a profile or ${inFile}. Known agents: ${[...known.keys()].join(', ')}`,
    );
  }
  checkMatrixInFiles(project, known, matching, flags);
  const paired = toDecide === undefined ? null : pairUp(expanded, toDecide, concurrency);
  const cells = paired?.cells ?? chooseCells(expanded, flags.cells ?? []);
  const selected = withCells(matching, cells);
  const withAgent = cells.filter(({ scenario }) => !agentless.has(scenario));
  const used = [...new Set(withAgent.map(({ agent }) => agent))];
  for (const name of used) checkAgent(name, known);
  for (const { agent, model } of withAgent) checkModel(project, known.get(agent), model);
  for (const { scenario, variants } of selected)
    for (const { variant, subject } of variants)
      for (const cell of withAgent)
        if (cell.scenario === scenario.name && cell.variant === variant)
          checkSubject(known.get(cell.agent), scenario.name, subject);
  checkLengths(cells);
  const scenarios = selected.flatMap((one) =>
    one.variants.map((variant) => ({
      selected: one,
      variant,
      effective: effectiveScenario(project, one, variant, flags, agentsOf(cells, one.scenario.name, known)),
    })),
  );
  if (flags.targetBinary !== undefined && scenarios.every(({ effective }) => effective.target === null))
    throw new UsageError(
      'target_missing',
      '--target-binary has no effect: no selected scenario has a target',
    );
  const judges = scenarios.map(({ effective }) => effective.judge ?? effective.asked ?? null);
  if (flags.isJudgeNamed === true && judges.every((judge) => judge === null))
    throw new UsageError(
      'judge_model',
      `--judge-model has no effect: ${flags.judge ? 'no selected scenario has a judge, or a gate that asks a model' : '--no-judge was given'}`,
    );
  const agents = agentSettings(project, [...used, ...agentsOfJudges(judges)]);
  const asked = new Set([...providersOfCells(known, cells), ...providersOfJudges(known, judges)]);
  const providers = Object.fromEntries(Object.entries(config.providers).filter(([name]) => asked.has(name)));
  return {
    concurrency,
    // A result from the cache is older than what it would be compared with.
    cache: flags.cache && paired === null,
    live: flags.live,
    maxUsd: flags.maxUsd ?? null,
    on: flags.on ?? [],
    cells,
    ...(paired === null ? {} : { untilClear: paired.untilClear }),
    scenarios,
    agents,
    providers,
    variables: neededVariables({
      targets: scenarios.map(({ effective }) => effective.target),
      servers: scenarios.flatMap(({ effective }) => serverAddresses(effective.scenario.databases)),
      ...{ agents, cells, providers, judges },
      environments: scenarios.map(({ effective }) => effective.scenario.environment),
      runtimes: scenarios.map(({ effective }) => effective.scenario.runtime),
      settings: scenarios.flatMap(({ effective }) => effective.host?.settings ?? []),
      subjects: scenarios.map(({ effective }) => effective.subject),
    }),
  };
}

/** The base takes part, even if only the variant to compare with it is named. */
const withBase = (variants: readonly string[], toDecide: ToDecide | undefined): string[] =>
  variants.length > 0 && toDecide?.base.kind === 'variant'
    ? [...variants, toDecide.base.variant]
    : [...variants];

/** Returns the scenarios and variants that have at least one of the cells. */
const withCells = (scenarios: readonly SelectedScenario[], cells: readonly Cell[]): SelectedScenario[] =>
  scenarios
    .map((one) => ({
      ...one,
      variants: one.variants.filter(({ variant }) =>
        cells.some((cell) => cell.scenario === one.scenario.name && cell.variant === variant),
      ),
    }))
    .filter(({ variants }) => variants.length > 0);

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
  const profile = ownValue(config.profiles, name);
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
