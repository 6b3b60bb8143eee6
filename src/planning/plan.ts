import { UsageError } from '#lib';
import { givesReward, scenarioLabel } from '#model';
import { clamp } from './clamp.js';
import { refuseUnready } from './checks.js';
import type { Draft } from './draft.js';
import { withKeptWork } from './find-kept-work.js';
import type { FinishedBase, ToDecide } from './pair-up.js';
import type { Project } from './project.js';
import { resolveSweep, type ResolvedSweep } from './resolve-sweep.js';
import type { SelectedScenario } from './select-scenarios.js';
import { uncheckedWarnings, warningsOf } from './warnings.js';

/** Reads the results of a finished sweep. @throws UsageError if there is none of this id */
export type ReadBase = (resultsPath: string, id: string) => FinishedBase;

/** A sweep that can start, and what the user should know about it. */
export interface Planned {
  sweep: ResolvedSweep;
  notices: string[];
}

/**
 * Plans a sweep of these scenarios: resolves the draft, and checks that it can run here. Writes nothing.
 * @throws UsageError
 */
export async function plan(
  project: Project,
  selected: SelectedScenario[],
  draft: Draft,
  readBase: ReadBase,
): Promise<Planned> {
  const asked = resolve(project, selected, draft, readBase);
  const { sweep: resolved, warnings: lowered } = draft.clamp ? await clamp(asked) : { sweep: asked, warnings: [] };
  await refuseUnready(resolved, draft.dryRun);
  const { sweep, note } = await withKeptWork(resolved, draft);
  const warnings = draft.dryRun ? [] : await warningsOf(sweep, selected, draft);
  return { sweep, notices: [...(draft.live ? ['live: mocks are ignored'] : []), ...note, ...lowered, ...warnings] };
}

/** Resolves a draft of these scenarios, without checking that it can run here. @throws UsageError */
export function resolve(
  project: Project,
  selected: SelectedScenario[],
  draft: Draft,
  readBase: ReadBase,
): ResolvedSweep {
  const toDecide = toDecideOf(project, selected, draft, readBase);
  return resolveSweep(project, selected, draft, toDecide);
}

function toDecideOf(
  { resultsPath }: Project,
  selected: readonly SelectedScenario[],
  { untilClear, judge }: Draft,
  readBase: ReadBase,
): ToDecide | null {
  if (untilClear === null) return null;
  const [unchecked] = uncheckedWarnings(selected, !judge);
  if (unchecked !== undefined)
    throw new UsageError('scenario_invalid', '--until-clear: there would be nothing to decide', [unchecked]);
  if (untilClear.measure === 'reward') refuseWithoutRewards(selected);
  const { base, ...limits } = untilClear;
  const variants = new Set(selected.flatMap((one) => one.variants.map(({ variant }) => variant)));
  if (variants.has(base)) return { base: { kind: 'variant', variant: base }, ...limits };
  try {
    return { base: readBase(resultsPath, base), ...limits };
  } catch (error) {
    if (!(error instanceof UsageError) || error.code !== 'unknown_id') throw error;
    throw new UsageError(
      'unknown_id',
      `--base: '${base}' is neither a variant of these scenarios (${[...variants].join(', ')}) nor a sweep: ${error.message}`,
    );
  }
}

/** @throws UsageError if runs of a scenario would have no rewards */
export function refuseWithoutRewards(selected: readonly SelectedScenario[]): void {
  for (const { scenario, variants } of selected)
    for (const { variant, scenario: effective } of variants)
      if (!effective.checks.gates.some(({ type }) => givesReward(type)))
        throw new UsageError(
          'usage',
          `--measure reward: ${scenarioLabel({ scenario: scenario.name, variant })} has no gate of type \`verifier\` or \`step_rewards\`, so its runs have no reward`,
        );
}
