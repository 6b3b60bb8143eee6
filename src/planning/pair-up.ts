import { canDecide, cellsOfPair, configurationKey, pairedCells, type SpentBefore, type UntilClear } from '#decide';
import { defined, groupBy, inTurns, levelText, UsageError } from '#lib';
import { type Cell, configurationLabel, isBounded } from '#model';

/** The results of a finished sweep, as what another is compared with. */
export type FinishedBase = Extract<UntilClear['base'], { kind: 'sweep' }>;

/** The question of a sweep that runs until its verdict is clear. */
export interface ToDecide {
  base: UntilClear['base'];
  /** The number that is compared; absent: the pass rate. */
  measure?: 'reward';
  /** From 0 to 1; null: only better and worse are looked for. */
  margin: number | null;
  /** From 0 to 1: give up when such a difference is unlikely to be found; null: never. */
  effect: number | null;
  /** The most runs of a configuration on each side. */
  maxRuns: number;
}

/** Probability of a false better or worse. */
const ALPHA = 0.05;

/**
 * Pairs the cells of both sides, and orders them so that the sides run at the same time. Cells that have no partner,
 * because a finished base has fewer runs, are left out.
 *
 * @throws UsageError if a configuration has only one side, or so few runs could decide nothing
 */
export function pairUp(
  cells: readonly Cell[],
  { base, measure, margin, effect, maxRuns }: ToDecide,
  concurrency: number,
): { cells: Cell[]; untilClear: UntilClear } {
  if (base.kind === 'variant') checkVariants(cells, base.variant);
  const configurations = pairedCells(cells, { base });
  // Mean rewards are compared in turns, each with a pair of every configuration.
  const most = measure === 'reward' ? Math.min(...configurations.map(({ pairs }) => pairs.length)) : Infinity;
  const paired = inTurns(configurations.map(({ pairs }) => pairs.slice(0, most))).flatMap(cellsOfPair);
  checkPartners(cells, paired, base);
  if (measure === 'reward' && base.kind === 'sweep') checkRewards(base);
  const atOnce = base.kind === 'variant' ? Math.ceil(concurrency / 2) : concurrency;
  const untilClear: UntilClear = {
    base,
    margin,
    ...defined({ measure, effect }),
    alpha: ALPHA,
    most_runs: maxRuns,
    // Smaller rounds would leave slots free.
    round_size: Math.max(configurations.length, atOnce),
  };
  refuseTooFew(paired, untilClear);
  return { cells: paired, untilClear };
}

/** @throws UsageError if so few runs could show no difference, however large */
function refuseTooFew(cells: readonly Cell[], plan: UntilClear): void {
  if (canDecide(cells, plan)) return;
  const { base, effect, most_runs: most, alpha, spent_before: before } = plan;
  const raise = `raise --max-runs${effect === undefined ? '' : ' or --effect'}`;
  const level =
    before === undefined ? '' : `, at the ${levelText(alpha)} that ${before.by.join(' and ')} left of alpha`;
  throw new UsageError(
    'usage',
    `with ${base.kind === 'variant' ? `at most ${most}` : 'so few'} runs on each side, no difference could be shown${level}; ${base.kind === 'variant' ? raise : `${raise}, or repeat the base more often`}`,
  );
}

/**
 * Gives a sweep what is left of alpha after others that have asked the same.
 * @throws UsageError if nothing could be shown at that level
 */
export function atAlpha(cells: readonly Cell[], plan: UntilClear, left: number, before: SpentBefore): UntilClear {
  const drawn = { ...plan, alpha: left, spent_before: before };
  refuseTooFew(cells, drawn);
  return drawn;
}

/** @throws UsageError if a run that passed or failed has no reward from 0 to 1 */
function checkRewards({ sweep, outcomes }: FinishedBase): void {
  for (const { runs, ...configuration } of outcomes)
    for (const { outcome, reward } of runs)
      if (outcome !== null && (reward === undefined || !isBounded(reward)))
        throw new UsageError(
          'usage',
          `--measure reward: a run of ${configurationLabel(configuration)} in ${sweep} has ${reward === undefined ? 'no reward' : `the reward ${reward}`}; only rewards from 0 to 1 can be compared`,
        );
}

function checkVariants(cells: readonly Cell[], base: string): void {
  const heads = [...new Set(cells.map(({ variant }) => variant))].filter((variant) => variant !== base);
  if (heads.length === 0)
    throw new UsageError(
      'usage',
      `only the variant '${base}' is selected; --base needs another one to compare with it`,
    );
  if (heads.length > 1)
    throw new UsageError(
      'usage',
      `--base ${base}: expected one other variant, found ${heads.join(', ')}; name one with --variants`,
    );
}

/** @throws UsageError for configurations of which only one side can be run */
function checkPartners(cells: readonly Cell[], paired: readonly Cell[], base: UntilClear['base']): void {
  const have = new Set(paired.map(configurationKey));
  const alone = groupBy(
    cells.filter((cell) => !have.has(configurationKey(cell))),
    configurationKey,
  ).flatMap((group) => group.slice(0, 1).map((cell) => configurationLabel(cell)));
  const [first, ...more] = alone;
  if (first === undefined) return;
  const others = more.length === 0 ? '' : ` (and ${more.length} more)`;
  throw new UsageError(
    'usage',
    base.kind === 'variant'
      ? `${first}${others} has no counterpart in the other variant; select only scenarios and agents that both variants have`
      : `${first}${others} has no results in ${base.sweep}; select only what it has tested`,
  );
}
