import { mean } from '#lib';
import { logSumExp } from './log-factorial.js';
import { sum, type Count } from './counts.js';

/** On average, at least so many nights pass until a loss is found that is none. */
export const ALARM = 50;
/**
 * A loss is gone from so much evidence on. More than an alarm needs, because a loss that is forgotten by chance is
 * found late again, while one that has been repaired can be accepted at once.
 */
const GONE = 250;
/** From so much evidence on, a loss is possible, and the next nights decide. */
export const SUSPICION = 30;
/** So many of the newest nights that have not changed count, besides the reference. */
const MAX_NIGHTS = 90;
/** Nights so close to the newest may each be the first of a loss. Of earlier ones, fewer and fewer are tried. */
const CLOSE = 12;

/**
 * Returns the logarithm of how much more probable the results are if the later nights are worse than if all are alike.
 */
type Evidence<Night> = (before: readonly Night[], after: readonly Night[]) => number;

/** The state after a night. Nights are numbered from the reference on, which is 0. */
export interface Followed {
  /** The first night of a loss that is neither gone nor accepted; null: no loss has been found. */
  lost: number | null;
  /** The first night of a loss that is not shown yet; null: nothing speaks for one. */
  suspected: number | null;
  /** Nights that are as good as the reference, as far as is known. */
  kept: readonly number[];
  /** Nights since the beginning of the loss. */
  since: readonly number[];
}

/**
 * Follows nights from a reference on: has one begun a loss, and is it gone again? Each night may be the first of a
 * loss; the evidence of all of these is added up, and a loss is found when the sum reaches ALARM. As the sum grows by 1
 * a night on average if nothing changes, false alarms come after ALARM nights or more on average, however long it goes
 * on: A. N. Shiryaev, "On optimum methods in quickest detection problems", Theory of Probability 8 (1963) 22-46; S. W.
 * Roberts, Technometrics 8 (1966) 411-430; with e-values: J. Shin, A. Ramdas and A. Rinaldo, "E-detectors", New England
 * J. of Statistics in Data Science 2 (2024) 229-260. A loss stays until nights are found in the same way to fit those
 * before it better than those of the loss. `evidenceFrom`: makes the evidence from the nights that are known not to
 * have changed.
 */
export function followNights<Night>(
  nights: readonly Night[],
  evidenceFrom: (known: readonly Night[]) => Evidence<Night>,
): Followed[] {
  let [kept, since]: [number[], number[]] = [[], []];
  return nights.map((_, night) => {
    const evidence = evidenceFrom(of(kept));
    let suspected: number | null = null;
    if (since.length === 0) {
      kept = newest([...kept, night]);
      const found = firstOfLoss(kept, evidence);
      if (found.evidence >= Math.log(ALARM)) [kept, since] = [kept.slice(0, found.at), kept.slice(found.at)];
      else if (found.evidence >= Math.log(SUSPICION)) suspected = kept[found.at] ?? null;
    } else {
      since = [...since, night];
      const back = firstAfterLoss(kept, since, evidence);
      if (back !== null) [kept, since] = [newest([...kept, ...since.slice(back)]), []];
    }
    return { lost: since[0] ?? null, suspected, kept, since };
  });

  function of(numbers: readonly number[]): Night[] {
    return numbers.flatMap((number) => nights.slice(number, number + 1));
  }

  function firstOfLoss(among: readonly number[], evidence: Evidence<Night>): Change {
    return sumOf(beginnings(among.length), (at) => evidence(of(among.slice(0, at)), of(among.slice(at))));
  }

  /** Returns where the nights begin that are like those before the loss; null if it goes on. */
  function firstAfterLoss(
    before: readonly number[],
    lost: readonly number[],
    evidence: Evidence<Night>,
  ): number | null {
    const goesOn = evidence(of(before), of(lost));
    const found = sumOf(
      beginnings(lost.length),
      (at) => evidence(of([...before, ...lost.slice(at)]), of(lost.slice(0, at))) - goesOn,
    );
    if (found.evidence < Math.log(GONE)) return null;
    const isStillLost = firstOfLoss([...before, ...lost.slice(found.at)], evidence).evidence >= Math.log(ALARM);
    return isStillLost ? null : found.at;
  }
}

interface Change {
  /** Where a change is most probable. */
  at: number;
  /** The logarithm of the evidence of all places together. */
  evidence: number;
}

function sumOf(places: readonly number[], evidenceAt: (at: number) => number): Change {
  const found = places.map((at) => ({ at, evidence: evidenceAt(at) }));
  const [best] = [...found].sort((a, b) => b.evidence - a.evidence);
  return { at: best?.at ?? 0, evidence: logSumExp(found.map(({ evidence }) => evidence)) };
}

/** Returns the places at which a list of nights can be divided in two. */
function beginnings(length: number): number[] {
  const places: number[] = [];
  for (let back = 1; back < length; back = back < CLOSE ? back + 1 : Math.ceil(back * 1.2)) places.push(length - back);
  return places;
}

/** The reference stays, whatever its age: slow losses show against it. */
const newest = (numbers: readonly number[]): number[] =>
  numbers.length <= MAX_NIGHTS ? [...numbers] : [...numbers.slice(0, 1), ...numbers.slice(1 - MAX_NIGHTS)];

/** The deviation of a night's log-odds that is assumed at least: from 80 to 75 or 84 %. */
const LEAST = 0.3;
/** So many differences between nights count as much as the assumption. */
const WEIGHT = 10;

/**
 * Estimates by how much nights differ besides chance: the standard deviation of the log-odds that their configurations
 * share. It comes from the differences between a night and the next, which one change of the level hardly affects, and
 * is never below what is assumed. J. von Neumann and others, "The mean square successive difference", Annals of
 * Mathematical Statistics 12 (1941) 153-162. `nights`: in the order of time, each with the same configurations.
 */
export function nightSd(nights: readonly (readonly Count[])[]): number {
  const full = nights.filter((night) => night.length > 0 && night.every(({ tested }) => tested > 0));
  const [first = []] = full;
  if (full.length < 3) return LEAST;
  const variances = first.map((_, at) => {
    const of = (name: keyof Count): number => sum(full, (night) => night[at]?.[name] ?? 0);
    const rate = (of('passed') + 0.5) / (of('tested') + 1);
    return rate * (1 - rate);
  });
  const slope = mean(variances) ?? 0;
  const points = full.map((night) => ({
    rate: mean(night.map(({ passed, tested }) => passed / tested)) ?? 0,
    variance: varianceOf(night, variances),
  }));
  const excess = points.slice(1).map(({ rate, variance }, at) => {
    const before = points[at] ?? { rate, variance };
    return ((rate - before.rate) ** 2 - variance - before.variance) / 2 / slope ** 2;
  });
  const estimate = (WEIGHT * LEAST ** 2 + sum(excess, (one) => one)) / (WEIGHT + excess.length);
  return Math.sqrt(Math.max(LEAST ** 2, estimate));
}

const varianceOf = (night: readonly Count[], variances: readonly number[]): number =>
  sum(
    night.map(({ tested }, at) => (variances[at] ?? 0) / tested),
    (one) => one,
  ) /
  night.length ** 2;
