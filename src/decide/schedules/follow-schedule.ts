import { mean } from '#lib';
import {
  type Count,
  type Followed,
  followNights,
  lossEvidence,
  nightSd,
  riseEvidence,
  type Stratum,
  SUSPICION,
} from '#statistics';
import { configurationKey } from '../comparison/arms.js';
import type { FollowedNights, NightCount } from '../documents/nights.js';
import type { Night } from './night.js';

/** Counts of the configurations of the reference, in its order. */
type Row = readonly (Count & { untested: number; after_errors?: Count })[];

const NO_RUNS: Count = { passed: 0, tested: 0 };
const NONE: Row[number] = { ...NO_RUNS, untested: 0 };
/** So many configurations are named. */
const NAMED = 3;

/**
 * Says what the nights of a schedule show, from the reference on, which is the first: whether runs have begun to pass
 * less often, and on which night. It depends on nothing but the nights, so a night that is reported twice, or whose
 * results are corrected later, counts once and as it is. Null without nights.
 */
export function followSchedule(nights: readonly Night[], accepted: boolean): FollowedNights | null {
  const [reference] = nights;
  if (reference === undefined) return null;
  const rows = nights.map((night) => rowOf(reference, night));
  const followed = followLoss(rows, false).at(-1) ?? NOTHING;
  const first = followed.lost ?? followed.suspected;
  const before = followed.kept.filter((night) => night < (followed.suspected ?? Infinity));
  const after = followed.lost === null ? followed.kept.slice(before.length) : followed.since;
  return {
    reference: reference.sweep,
    accepted,
    nights: nights.length,
    state: stateOf(rows, followed),
    since: first === null ? null : beginOf(nights, first),
    robust: followed.lost === null || followLoss(rows, true).at(-1)?.lost != null,
    before: rateOf(rows, before),
    after: after.length === 0 ? null : rateOf(rows, after),
    configurations:
      after.length === 0 ? [] : losersOf(reference, strataOf(rowsOf(rows, before), rowsOf(rows, after), false)),
    rises: risesOf(nights),
  };
}

function stateOf(rows: readonly Row[], { lost, suspected, kept }: Followed): FollowedNights['state'] {
  if (lost !== null) return 'loss';
  if (suspected !== null) return 'possible loss';
  return kept.length > 1 && !couldShowLoss(rows, kept) ? 'too few runs' : 'no loss';
}

/**
 * For each night, the number of the night on which the loss began that was known then and holds whatever errors have
 * hidden; null: none.
 */
export function lossesAfter(nights: readonly Night[]): (number | null)[] {
  const [reference] = nights;
  if (reference === undefined) return [];
  const rows = nights.map((night) => rowOf(reference, night));
  const hasErrors = rows.flat().some((one) => errorsOf(one) > 0);
  const bounded = hasErrors ? followLoss(rows, true) : null;
  return followLoss(rows, false).map(({ lost }, at) => (bounded?.[at]?.lost === null ? null : lost));
}

const beginOf = (nights: readonly Night[], at: number): { sweep: string; at: string } => ({
  sweep: nights[at]?.sweep ?? '',
  at: nights[at]?.at ?? '',
});

function rowOf(reference: Night, night: Night): Row {
  const counts = new Map(night.counts.map((count) => [configurationKey(count), count]));
  return reference.counts.map((count) => counts.get(configurationKey(count)) ?? NONE);
}

const rowsOf = (rows: readonly Row[], numbers: readonly number[]): Row[] =>
  numbers.flatMap((number) => rows.slice(number, number + 1));

/** `bounded`: cells that errors left out are assumed to have turned out against a loss. */
const followLoss = (rows: readonly Row[], bounded: boolean): Followed[] =>
  followNights(rows, (known) => {
    const sd = nightSd(known);
    return (before, after) =>
      lossEvidence(strataOf(before, after, bounded), sd * Math.sqrt(1 / before.length + 1 / after.length));
  });

const NOTHING: Followed = { lost: null, suspected: null, kept: [], since: [] };

function strataOf(before: readonly Row[], after: readonly Row[], bounded: boolean): Stratum[] {
  const [reference = []] = before;
  const [base, head] = [before, after].map((rows) => reference.map((_, at) => sumOf(rows, at)));
  return reference.map((_, at) => {
    const stratum = { base: base?.[at] ?? NONE, head: head?.[at] ?? NONE };
    return bounded ? boundedBy(stratum) : stratum;
  });
}

/** The counts of a configuration on all these nights. They are added up in place, because this is done so often. */
function sumOf(rows: readonly Row[], at: number): Row[number] {
  const redone = { passed: 0, tested: 0 };
  const all = { passed: 0, tested: 0, untested: 0, after_errors: redone };
  for (const row of rows) {
    const { passed, tested, untested, after_errors = NO_RUNS } = row[at] ?? NONE;
    all.passed += passed;
    all.tested += tested;
    all.untested += untested;
    redone.passed += after_errors.passed;
    redone.tested += after_errors.tested;
  }
  return all;
}

/** Cells of which an error hid what their first run had shown. */
const errorsOf = ({ untested, after_errors: redone = NO_RUNS }: Row[number]): number => untested + redone.tested;

/**
 * Errors that come as often on both sides say nothing. As far as one side has more of them, they are assumed to have
 * hidden passes of head, or failures of base: those of runs that were repeated, and then of those that were not.
 */
function boundedBy({ base, head }: { base: Row[number]; head: Row[number] }): Stratum {
  const share = (side: Row[number]): number =>
    errorsOf(side) === 0 ? 0 : errorsOf(side) / (side.tested + side.untested);
  const more = (one: Row[number], other: Row[number]): number =>
    Math.max(0, Math.ceil(errorsOf(one) - share(other) * (one.tested + one.untested) - 1e-9));
  const [redoneOfHead, redoneOfBase] = [head.after_errors ?? NO_RUNS, base.after_errors ?? NO_RUNS];
  const hidden = more(head, base);
  const turned = Math.min(hidden, redoneOfHead.tested - redoneOfHead.passed);
  const added = Math.min(hidden - turned, head.untested);
  const missed = more(base, head);
  const lost = Math.min(missed, redoneOfBase.passed);
  return {
    base: { passed: base.passed - lost, tested: base.tested + Math.min(missed - lost, base.untested) },
    head: { passed: head.passed + turned + added, tested: head.tested + added },
  };
}

/** Returns whether any outcome of these nights could have looked like a loss. */
function couldShowLoss(rows: readonly Row[], kept: readonly number[]): boolean {
  return kept.slice(1).some((_, at) => {
    const [before, after] = [rowsOf(rows, kept.slice(0, at + 1)), rowsOf(rows, kept.slice(at + 1))];
    const extreme = strataOf(before, after, false).map(({ base, head }) => ({
      base: { passed: base.tested, tested: base.tested },
      head: { passed: 0, tested: head.tested },
    }));
    const sd = nightSd([]) * Math.sqrt(1 / before.length + 1 / after.length);
    return lossEvidence(extreme, sd) >= Math.log(SUSPICION);
  });
}

function rateOf(rows: readonly Row[], numbers: readonly number[]): FollowedNights['before'] {
  const chosen = rowsOf(rows, numbers);
  const totals = strataOf(chosen, [], false).map(({ base }) => base);
  const sum = (name: keyof Count): number => totals.reduce((all, one) => all + one[name], 0);
  return {
    nights: chosen.length,
    passed: sum('passed'),
    tested: sum('tested'),
    rate: mean(totals.map(({ passed, tested }) => (tested === 0 ? null : passed / tested))),
  };
}

function losersOf(reference: Night, strata: readonly Stratum[]): FollowedNights['configurations'] {
  return reference.counts
    .flatMap(({ scenario, agent, model, variant }, at) => {
      const stratum = strata[at];
      const evidence = stratum === undefined ? 0 : lossEvidence([stratum], nightSd([]));
      return evidence < Math.log(SUSPICION) ? [] : { evidence, of: { scenario, agent, model, variant } };
    })
    .sort((a, b) => b.evidence - a.evidence)
    .slice(0, NAMED)
    .map(({ of }) => of);
}

const MEASURES = ['cost_usd', 'duration_secs'] as const;

/** Costs and durations share the chance of a false alarm. */
const risesOf = (nights: readonly Night[]): FollowedNights['rises'] =>
  MEASURES.flatMap((measure) => {
    const known = nights.flatMap((night) => {
      const value = meanOfNight(nights[0]?.counts ?? [], night, measure);
      return value === null || value <= 0 ? [] : { night, log: Math.log(value) };
    });
    const followed = followNights(
      known,
      () => (before, after) => riseEvidence(logsOf(before), logsOf(after)) - Math.log(MEASURES.length),
    ).at(-1);
    if (followed?.lost == null) return [];
    const of = (numbers: readonly number[]): number =>
      mean(logsOf(numbers.flatMap((number) => known.slice(number, number + 1)))) ?? 0;
    return {
      measure,
      since: beginOf(
        known.map(({ night }) => night),
        followed.lost,
      ),
      factor: Math.exp(of(followed.since) - of(followed.kept)),
    };
  });

const logsOf = (known: readonly { log: number }[]): number[] => known.map(({ log }) => log);

/** The mean over the configurations of the reference; null unless it is known of all of them. */
function meanOfNight(
  reference: readonly NightCount[],
  { counts }: Night,
  measure: (typeof MEASURES)[number],
): number | null {
  const values = new Map(counts.map((count) => [configurationKey(count), count[measure]]));
  const own = reference.map((count) => values.get(configurationKey(count)) ?? null);
  return own.includes(null) ? null : mean(own);
}
