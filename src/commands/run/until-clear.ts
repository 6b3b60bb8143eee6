import { ALPHA, armsOf, isJudged, MAX_RUNS, SAMPLE, type UntilClear } from '#decide';
import { UsageError } from '#lib';
import { isBounded, rewardOf, workRunOf } from '#model';
import {
  atAlpha,
  type Draft,
  type DraftOptions,
  type FinishedBase,
  type Planned,
  plannedInputs,
  type ResolvedSweep,
} from '#planning';
import { alphaLeftText } from '#reports';
import { alphaLeft, decidedBy, findPlan, readLog, sweepStatus } from '#sweeps';
import { printNotice } from '../shared/output.js';

/** The options of `run` that make a sweep stop as soon as its verdict is clear. */
export interface ClearOptions {
  untilClear?: boolean;
  base?: string;
  measure?: 'passes' | 'reward';
  /** A share: 0.1 are 10 percentage points. */
  margin?: number;
  /** A share: the smallest change worth finding. */
  effect?: number;
  maxRuns?: number;
}

/**
 * Returns the question of a sweep that stops as soon as its verdict is clear; null without `--until-clear`.
 * @throws UsageError
 */
export function untilClearOf(
  options: ClearOptions & Pick<DraftOptions, 'repeat' | 'cells' | 'regrade'>,
): Draft['untilClear'] {
  const { untilClear = false, base, measure, margin, effect, maxRuns } = options;
  if (!untilClear) {
    const alone = Object.entries({
      '--base': base,
      '--measure': measure,
      '--margin': margin,
      '--effect': effect,
      '--max-runs': maxRuns,
    }).find(([, value]) => value !== undefined);
    if (alone !== undefined) throw new UsageError('usage', `${alone[0]} has an effect only with --until-clear`);
    return null;
  }
  if (base === undefined)
    throw new UsageError(
      'usage',
      '--until-clear: name what to compare with: --base <variant>, or --base <sweep> for a finished sweep',
    );
  if (options.repeat != null)
    throw new UsageError('usage', '--repeat cannot be used with --until-clear; --max-runs limits the runs');
  if ((options.cells ?? []).length > 0)
    throw new UsageError('usage', '--cell cannot be used with --until-clear, which chooses the cells itself');
  if (options.regrade === true)
    throw new UsageError('usage', '--regrade cannot be used with --until-clear: both sides must be run now');
  if (effect !== undefined && margin !== undefined)
    throw new UsageError(
      'usage',
      '--effect gives up where no change is likely to be found, and --margin then shows that nothing is worse; leave out one of them',
    );
  return {
    ...(measure === 'reward' ? { measure } : {}),
    base,
    margin: margin ?? null,
    effect: effect ?? null,
    maxRuns: maxRuns ?? MAX_RUNS,
  };
}

/**
 * Gives a sweep that runs until its verdict is clear what is left of alpha, and says so if others have asked the same.
 * @throws UsageError if nothing could be shown with what is left
 */
export async function withAlphaLeft({ sweep, notices }: Planned): Promise<Planned> {
  const { untilClear, cells } = sweep;
  if (untilClear === null) return { sweep, notices };
  if (untilClear.measure === 'reward') await refuseUnbounded(sweep);
  const { left, before } = await alphaLeftFor(sweep, untilClear);
  if (before.spent === 0) return { sweep, notices };
  return {
    sweep: { ...sweep, untilClear: atAlpha(cells, untilClear, left, before) },
    notices: [...notices, alphaLeftText(left, before)],
  };
}

/** @throws UsageError if an earlier run of these scenarios has a reward that cannot be compared */
async function refuseUnbounded(sweep: ResolvedSweep): Promise<void> {
  const inputsOf = await plannedInputs(sweep);
  const hashes = new Set(sweep.cells.map((cell) => inputsOf(cell)?.scenario_hash));
  for (const line of readLog(sweep.project.resultsPath, () => undefined)) {
    const reward = hashes.has(line.scenario_hash) ? rewardOf(line.metrics) : null;
    if (reward !== null && !isBounded(reward))
      throw new UsageError(
        'usage',
        `--measure reward: a run of the same scenario, ${line.scenario_id}, in ${line.sweep} has the reward ${reward}; only rewards from 0 to 1 can be compared`,
      );
  }
}

/** Returns what is left of alpha for a sweep that is planned. */
export const alphaLeftFor = async (sweep: ResolvedSweep, untilClear: UntilClear): ReturnType<typeof alphaLeft> =>
  alphaLeft(sweep.project.resultsPath, { cells: sweep.cells, untilClear }, await plannedInputs(sweep));

/** Reads the runs of a finished sweep, by configuration. Each counts once, and the first result of each cell. */
export function finishedSweep(resultsPath: string, id: string): FinishedBase {
  const plan = findPlan(resultsPath, id);
  const { sweep } = plan;
  const status = sweepStatus(resultsPath, sweep);
  if (status !== 'completed')
    throw new UsageError(
      'sweep_open',
      `--base: ${sweep} ${status === 'open' ? 'has not ended' : 'was cancelled'}; only a completed sweep can be the base`,
    );
  const all = readLog(resultsPath, printNotice);
  const lines = all.filter((line) => line.sweep === sweep);
  const { cells, decision = null } = decidedBy(resultsPath, plan, lines);
  const results = { sweep, variant: null, started: '', status, cells, combinations: [], lines };
  const arms = [...armsOf(results, () => false, { alpha: ALPHA }).values()];
  const outcomes = arms.flatMap(({ configuration, samples, runs }) =>
    samples.length === 0 ? [] : [{ ...configuration, runs }],
  );
  if (decision !== null)
    printNotice(
      `warning: ${sweep} itself ran until its verdict was clear: how many runs it has depends on how they went, so it favours what it has found`,
    );
  const judged = new Set(arms.flatMap(({ samples }) => samples.filter(isJudged).map(workRunOf)));
  const isChecked = all.some((line) => line.sweep !== sweep && judged.has(line.regraded_from?.run ?? ''));
  if (judged.size > 0 && !isChecked)
    printNotice(
      `warning: a model judged ${judged.size} runs of ${sweep}, and may have changed since: \`regrade ${sweep} --sample ${Math.min(SAMPLE, judged.size)}\` shows it before the other side is paid`,
    );
  return { kind: 'sweep', sweep, outcomes };
}
