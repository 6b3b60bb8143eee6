import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { knownAgents } from '#agents';
import { jsonDifferences } from '#decide';
import { type Json, omit, UsageError } from '#lib';
import { scenarioLabel } from '#model';
import {
  agentInputs,
  combinationReader,
  type EffectiveScenario,
  loadScenario,
  type Plan,
  type ScenarioReader,
  withChecksOf,
  withoutFlags,
} from '#scenario';
import { agentSettings } from './agent-problems.js';
import type { Draft } from './draft.js';
import { effectiveScenario } from './effective-scenario.js';
import { folderHash } from './find-kept-work.js';
import { agentsOfJudges, neededVariables, providersOfJudges } from './needed-variables.js';
import { loadScenarios, refuseProblems, withBaseline, type SelectedScenario } from './select-scenarios.js';
import { ownerOf } from './owner.js';
import type { Project } from './project.js';
import type { ResolvedScenario, ResolvedSweep } from './resolve-sweep.js';

/**
 * The work to check again: cells of a sweep that was planned before, with its stored scenarios in the order of the
 * plan.
 */
export interface ToRegrade {
  plan: Plan;
  stored: readonly EffectiveScenario[];
  cells: Plan['cells'];
  /** The run whose work is checked, by cell. */
  runs: Record<string, string>;
}

/**
 * Resolves a sweep that checks the work of earlier runs with the checks that their scenario files have now.
 *
 * @throws UsageError if a scenario file is gone or invalid, or has changed in what the agents' work depends on
 */
export async function resolveRegrade(
  project: Project,
  { plan, stored, cells, runs }: ToRegrade,
  draft: Draft,
): Promise<ResolvedSweep> {
  const wanted = new Set(cells.map(scenarioLabel));
  const selected = new Map<string, SelectedScenario>();
  const scenarios: ResolvedScenario[] = [];
  for (const [at, planned] of plan.scenarios.entries()) {
    const work = stored[at];
    if (work === undefined || !wanted.has(scenarioLabel({ ...planned, scenario: planned.name }))) continue;
    const one = selected.get(planned.name) ?? (await selectPlanned(project, plan, planned));
    selected.set(planned.name, one);
    const variant = [...one.variants, ...withBaseline(one.variants)].find(({ variant }) => variant === planned.variant);
    if (variant === undefined)
      throw new UsageError('work_changed', `${one.file} no longer has the variant ${planned.variant}`);
    const now = effectiveScenario(project, one, variant, { ...draft, ...flagsOf(plan, work) }, []);
    const agentsOf = cells.flatMap(({ scenario, agent }) => (scenario === planned.name ? agent : []));
    const agent = agentsOf.includes('mock') ? 'mock' : 'others';
    const inputs = (one: EffectiveScenario): Json => agentInputs(withoutFlags(one), agent) as unknown as Json;
    const changed = jsonDifferences(inputs(work), inputs({ ...now, fixture: await folderHash(variant.fixture) }));
    if (changed.length > 0) throw workChanged(one.file, changed);
    scenarios.push({ selected: one, variant, effective: omit(withChecksOf(work, now), 'fixture') });
  }
  const judges = scenarios.map(({ effective }) => effective.judge ?? effective.asked ?? null);
  const agents = { ...plan.agents, ...agentSettings(project, agentsOfJudges(judges)) };
  const asked = new Set(providersOfJudges(knownAgents(project.config.agents), judges));
  const providers = {
    ...plan.providers,
    ...Object.fromEntries(Object.entries(project.config.providers).filter(([name]) => asked.has(name))),
  };
  return {
    project,
    name: draft.name,
    owner: ownerOf(draft.owner, process.env),
    concurrency: draft.concurrency ?? plan.concurrency,
    cache: false,
    live: plan.live === true,
    maxUsd: draft.maxUsd,
    on: plan.on ?? [],
    cells,
    untilClear: null,
    scenarios,
    agents,
    providers,
    regrade: { runs, or_run: false },
    variables: neededVariables({
      targets: scenarios.map(({ effective }) => effective.target),
      agents: agentSettings(project, agentsOfJudges(judges)),
      cells: [], // no agent is started
      providers,
      judges,
      environments: scenarios.map(({ effective }) => effective.scenario.environment),
    }),
    environment: { ...process.env, ...draft.variables },
  };
}

/** The flags with which a scenario was planned, except those that only change its checks. */
const flagsOf = (plan: Plan, { target_path }: EffectiveScenario): Pick<Draft, 'live' | 'targetBinary'> => ({
  live: plan.live === true,
  targetBinary: target_path,
});

/** Reads the file of a planned scenario as it is now. */
async function selectPlanned(
  project: Project,
  plan: Plan,
  { name, file, path }: Plan['scenarios'][number],
): Promise<SelectedScenario> {
  const found = [path, resolve(file), resolve(project.root, file)].find((one) => existsSync(one));
  if (found === undefined)
    throw new UsageError(
      'scenario_not_found',
      `the file of the scenario ${name}, ${file}, no longer exists, so its checks cannot be read`,
    );
  const loaded = await loadScenarios(project, [found], readerFor(plan, name));
  refuseProblems(loaded.problems, loaded.texts);
  const one = loaded.scenarios.find(({ scenario }) => scenario.name === name);
  if (one === undefined) throw new UsageError('scenario_not_found', `${file} no longer contains the scenario ${name}`);
  return one;
}

/** Reads a scenario with the combinations of the matrix that a sweep was planned with, if there was one. */
function readerFor({ scenarios }: Plan, name: string): ScenarioReader {
  const combinations = scenarios.flatMap(({ name: of, variant: id, parameters: values }) =>
    of === name && values !== undefined ? [{ id, values, chosen: [] }] : [],
  );
  const [first] = combinations;
  if (first === undefined) return loadScenario;
  const matrix = {
    name,
    description: '',
    base_scenario: '',
    runs_per_combination: 1,
    matrix: Object.keys(first.values).map((parameter) => ({ parameter, values: [] })),
  };
  return (file, text) =>
    combinationReader(matrix, combinations, (_path, message) => ({
      file,
      line: 1,
      column: 1,
      path: '',
      message: `with the values that the sweep was started with: ${message}`,
    }))(file, text);
}

const NAMED = 3;

function workChanged(file: string, changed: readonly string[]): UsageError {
  const named = changed.slice(0, NAMED).map((path) => path.replace(/^scenario\./, ''));
  const more = changed.length > NAMED ? ` and ${changed.length - NAMED} more` : '';
  return new UsageError(
    'work_changed',
    `${file} has changed in more than its checks (${named.join(', ')}${more}), so agents would now do different work; use \`run\` instead`,
  );
}
