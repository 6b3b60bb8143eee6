import { type Agent, knownAgents } from '#agents';
import type { UntilClear } from '#decide';
import { defined, ownValue, suggest, UsageError } from '#lib';
import { type Cell, cellLabel } from '#model';
import {
  containerVariables,
  expandMatrix,
  findAgentStep,
  type Plan,
  serverAddresses,
  type UnstoredScenario,
} from '#scenario';
import {
  agentSettings,
  checkAgent,
  checkLengths,
  checkMatrixInFiles,
  checkModel,
  checkSubject,
} from './agent-problems.js';
import type { Draft } from './draft.js';
import { effectiveScenario } from './effective-scenario.js';
import { agentsOfJudges, neededVariables, providersOfCells, providersOfJudges } from './needed-variables.js';
import { ownerOf } from './owner.js';
import { pairUp, type ToDecide } from './pair-up.js';
import type { Project } from './project.js';
import type { SelectedScenario, SelectedVariant } from './select-scenarios.js';

/** A sweep whose plan is not written yet. */
export interface ResolvedSweep {
  project: Project;
  /** The beginning of its id; null if it begins with the time. */
  name: string | null;
  /** To whom it belongs; null: nobody is known. */
  owner: string | null;
  concurrency: number;
  cache: boolean;
  live: boolean;
  maxUsd: number | null;
  on: string[];
  cells: Cell[];
  /** Null if all of the cells are run. */
  untilClear: UntilClear | null;
  /** One entry for each variant of each scenario. */
  scenarios: ResolvedScenario[];
  agents: Plan['agents'];
  providers: Plan['providers'];
  /** Null unless the work of earlier runs is checked again. */
  regrade: NonNullable<Plan['regrade']> | null;
  /** Names of the environment variables whose values the runs need. */
  variables: string[];
  /** The variables of this shell and of `--env-file`. */
  environment: NodeJS.Dict<string>;
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
export function resolveSweep(
  project: Project,
  all: SelectedScenario[],
  draft: Draft,
  toDecide: ToDecide | null,
): ResolvedSweep {
  const matching = chooseVariants(all, withBase(draft.variants, toDecide));
  const { config } = project;
  const concurrency = draft.concurrency ?? config.limits.concurrency ?? DEFAULT_CONCURRENCY;
  const repeat = toDecide?.maxRuns ?? draft.repeat;
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
      flags: { agents: draft.agents, models: draft.models, ...defined({ repeat }) },
      profile: profileOf(project, draft.profile),
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
  checkMatrixInFiles(project, known, matching, draft);
  const paired = toDecide === null ? null : pairUp(expanded, toDecide, concurrency);
  const cells = paired?.cells ?? cellsOfShard(chooseCells(expanded, draft.cells), draft.shard);
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
      effective: effectiveScenario(project, one, variant, draft, agentsOf(cells, one.scenario.name, known)),
    })),
  );
  if (draft.targetBinary !== null && scenarios.every(({ effective }) => effective.target === null))
    throw new UsageError('target_missing', '--target-binary has no effect: no selected scenario has a target');
  const judges = scenarios.map(({ effective }) => effective.judge ?? effective.asked ?? null);
  if (draft.isJudgeNamed && judges.every((judge) => judge === null))
    throw new UsageError(
      'judge_model',
      `--judge-model has no effect: ${draft.judge ? 'no selected scenario has a judge, or a gate that asks a model' : '--no-judge was given'}`,
    );
  const agents = agentSettings(project, [...used, ...agentsOfJudges(judges)]);
  const asked = new Set([...providersOfCells(known, cells), ...providersOfJudges(known, judges)]);
  const providers = Object.fromEntries(Object.entries(config.providers).filter(([name]) => asked.has(name)));
  return {
    project,
    name: draft.name,
    owner: ownerOf(draft.owner, process.env),
    concurrency,
    // A result from the cache is older than what it would be compared with.
    cache: draft.cache && paired === null,
    live: draft.live,
    maxUsd: draft.maxUsd,
    on: draft.hostLabels,
    cells,
    untilClear: paired?.untilClear ?? null,
    regrade: null,
    scenarios,
    agents,
    providers,
    variables: neededVariables({
      targets: scenarios.flatMap(({ effective: { target, scenario } }) => [
        target,
        ...containerVariables(scenario).map((env) => ({ env })),
      ]),
      servers: scenarios.flatMap(({ effective }) => serverAddresses(effective.scenario.databases)),
      agents,
      cells,
      providers,
      judges,
      environments: scenarios.map(({ effective }) => effective.scenario.environment),
      runtimes: scenarios.map(({ effective }) => effective.scenario.runtime),
      settings: scenarios.flatMap(({ effective }) => effective.host?.settings ?? []),
      subjects: scenarios.map(({ effective }) => effective.subject),
    }),
    environment: { ...process.env, ...draft.variables },
  };
}

/** The base takes part, even if only the variant to compare with it is named. */
const withBase = (variants: readonly string[], toDecide: ToDecide | null): string[] =>
  variants.length > 0 && toDecide?.base.kind === 'variant' ? [...variants, toDecide.base.variant] : [...variants];

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

function profileOf({ config }: Project, name: string | null): { agents: string[]; models: string[] } | null {
  if (name === null) return null;
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

/**
 * Returns the scenarios with only the wanted variants, without scenarios that have none of them. If `wanted` is empty,
 * returns all.
 *
 * @throws UsageError for a name that no scenario's variant has
 */
function chooseVariants(scenarios: readonly SelectedScenario[], wanted: readonly string[]): SelectedScenario[] {
  if (wanted.length === 0) return [...scenarios];
  const known = [...new Set(scenarios.flatMap(({ variants }) => variants.map(({ variant }) => variant)))];
  for (const name of wanted) checkVariant(name, known, 'no scenario has a variant');
  return scenarios
    .map((one) => ({ ...one, variants: one.variants.filter(({ variant }) => wanted.includes(variant)) }))
    .filter(({ variants }) => variants.length > 0);
}

/** @throws UsageError whose message begins with `problem` if the variant is unknown */
export function checkVariant(name: string, known: readonly string[], problem: string): void {
  if (known.includes(name)) return;
  const near = suggest(name, known);
  throw new UsageError(
    'unknown_variant',
    `${problem} '${name}'${near === null ? '.' : `; did you mean '${near}'?`} Known variants: ${known.join(', ')}`,
  );
}

/** This many known cells are named in the message about an unknown one. */
const NAMED = 3;

/**
 * Returns the cells that `--cell` names, in their order, or all of them if it names none. A name is the id of a cell,
 * or its label as printed: `notes/mock/default/default/2` or `notes mock/default #2`.
 *
 * @throws UsageError for a name that no cell has
 */
export function chooseCells(cells: readonly Cell[], wanted: readonly string[]): Cell[] {
  if (wanted.length === 0) return [...cells];
  const ids = new Map(cells.flatMap((cell) => namesOf(cell).map((name) => [name, cell.id] as const)));
  const chosen = new Set<string>();
  for (const name of wanted) {
    const id = ids.get(name);
    if (id === undefined) throw unknownCell(name, cells);
    chosen.add(id);
  }
  return cells.filter(({ id }) => chosen.has(id));
}

/**
 * Returns every nth cell, so that repetitions and agents are spread over the shards.
 *
 * @throws UsageError if the shard has none
 */
export function cellsOfShard(cells: readonly Cell[], shard: Draft['shard']): Cell[] {
  if (shard === null) return [...cells];
  const chosen = cells.filter((_, index) => index % shard.of === shard.number - 1);
  if (chosen.length === 0)
    throw new UsageError(
      'nothing_selected',
      `shard ${shard.number}/${shard.of} is empty: the selection has ${cells.length} cell${cells.length === 1 ? '' : 's'}`,
    );
  return chosen;
}

/** Returns the names by which a cell can be given. Listings omit `#1` if no cell is repeated. */
const namesOf = (cell: Cell): string[] => [cell.id, cellLabel(cell), cellLabel(cell, true)];

function unknownCell(name: string, cells: readonly Cell[]): UsageError {
  const known = cells.map(({ id }) => id);
  const near =
    suggest(name, known) ??
    suggest(
      name,
      cells.map((cell) => cellLabel(cell)),
    );
  const rest = known.length > NAMED ? ` and ${known.length - NAMED} more` : '';
  return new UsageError(
    'unknown_cell',
    `no cell '${name}'${near === null ? '.' : `; did you mean '${near}'?`} Cells: ${known.slice(0, NAMED).join(', ')}${rest}`,
  );
}
