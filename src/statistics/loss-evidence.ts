import { mean } from '#lib';
import { sum, type Stratum } from './counts.js';
import { logChoose, logSumExp } from './log-factorial.js';

/** Losses that are looked for, as differences of log-odds: from 90 to 82 % up to from 90 % to nearly nothing. */
const LOSSES = [0.5, 1, 2, 4, 8];
/** The share of the evidence that comes from all configurations together; the rest is that of each by itself. */
const TOGETHER = 0.8;
/** Nodes and weights of Gauss and Hermite for a standard normal number. */
const NODES = [
  [-3.750439717725742, 5.48268855972218e-4],
  [-2.366759410734541, 0.0307571239675864],
  [-1.154405394739968, 0.240123178605013],
  [0, 0.457142857142857],
  [1.154405394739968, 0.240123178605013],
  [2.366759410734541, 0.0307571239675864],
  [3.750439717725742, 5.48268855972218e-4],
] as const;

/**
 * Returns the logarithm of how much more probable these numbers of passes are if head passes less often than base than
 * if nothing has changed: a ratio of likelihoods, whose mean is 1 if nothing has changed (an e-value). It is
 * conditional on the passes of both sides together, so it depends on no pass rate. Nights differ by more than chance:
 * all configurations of a side share a normal deviation, and `sd` is that of the difference of the two sides' log-odds.
 * 0 if there is nothing to compare. G. Shafer, "Testing by betting", JRSS A 184 (2021) 407-431; R. A. Fisher, "The
 * logic of inductive inference", JRSS 98 (1935) 39-82.
 */
export function lossEvidence(strata: readonly Stratum[], sd: number): number {
  const possible = strata.map(possiblePasses).filter(({ logs }) => logs.length > 1);
  if (possible.length === 0) return 0;
  const shifts = [0, ...LOSSES].map((loss) => NODES.map(([node]) => sd * node - loss));
  /** By configuration, loss and node: the logarithm of the likelihood, up to a constant. */
  const likelihoods = possible.map((one) =>
    shifts.map((nodes) => nodes.map((shift) => one.passed * shift - logMean(one, shift))),
  );
  const together = shifts.map((nodes, loss) =>
    nodes.map((_, node) => sum(likelihoods, (one) => one[loss]?.[node] ?? 0)),
  );
  if (strata.length === 1) return ratio(together);
  const each = logSumExp(likelihoods.map(ratio).concat(new Array<number>(strata.length - possible.length).fill(0)));
  return logSumExp([Math.log(TOGETHER) + ratio(together), Math.log((1 - TOGETHER) / strata.length) + each]);
}

/** The mean over the losses of their likelihoods, to the likelihood without a loss. */
function ratio([unchanged = [], ...losses]: readonly (readonly number[])[]): number {
  const overNodes = (nodes: readonly number[]): number =>
    logSumExp(nodes.map((value, node) => value + Math.log(NODES[node]?.[1] ?? 0)));
  return logSumExp(losses.map(overNodes)) - Math.log(losses.length) - overNodes(unchanged);
}

interface PossiblePasses {
  /** Passes of head. */
  passed: number;
  fewest: number;
  /** Logarithms of the chances of each possible number of passes from `fewest` on, if nothing has changed. */
  logs: number[];
  /** The chances; null: some are too small for a number. */
  chances: Float64Array | null;
}

/** A chance whose logarithm is below this may be rounded to 0. */
const SMALLEST_LOG = -600;

function possiblePasses({ base, head }: Stratum): PossiblePasses {
  const passed = base.passed + head.passed;
  const fewest = Math.max(0, passed - base.tested);
  const all = logChoose(base.tested + head.tested, passed);
  const logs = Array.from(
    { length: Math.min(passed, head.tested) - fewest + 1 },
    (_, at) => logChoose(head.tested, fewest + at) + logChoose(base.tested, passed - fewest - at) - all,
  );
  const isPlain = Math.min(logs[0] ?? 0, logs.at(-1) ?? 0) > SMALLEST_LOG;
  return { passed: head.passed, fewest, logs, chances: isPlain ? Float64Array.from(logs, Math.exp) : null };
}

/**
 * Returns the logarithm of the mean of `exp(shift * passes)`: by Horner's scheme, from the side where nothing
 * overflows, if it can be.
 */
function logMean({ fewest, logs, chances }: PossiblePasses, shift: number): number {
  if (chances === null) return logSumExp(logs.map((log, at) => log + shift * (fewest + at)));
  const last = chances.length - 1;
  const factor = Math.exp(-Math.abs(shift));
  let value = 0;
  for (let at = 0; at <= last; at++) value = value * factor + (chances[shift > 0 ? at : last - at] ?? 0);
  return shift * (shift > 0 ? fewest + last : fewest) + Math.log(value);
}

/** Rises that are looked for, as logarithms of factors. */
const RISES = [1.1, 1.25, 1.6, 2.5].map(Math.log);
/** By how much the logarithms of nights are assumed to vary, until enough nights show it. */
const ASSUMED_SD = 0.25;
/** So many nights count as much as the assumption. */
const WEIGHT = 6;

/**
 * Returns the logarithm of how much more probable these means are if they have risen than if they have not: a ratio of
 * likelihoods of Student's t, given how the nights vary on either side. Each value is the logarithm of the mean of a
 * night, so within-night and between-night variation both count. P. Grünwald, R. de Heide and W. Koolen, "Safe
 * testing", JRSS B 86 (2024) 1091-1128.
 */
export function riseEvidence(before: readonly number[], after: readonly number[]): number {
  const [low, high] = [mean(before), mean(after)];
  if (low === null || high === null) return 0;
  const df = WEIGHT + before.length + after.length - 2;
  const squares = sum(before, (value) => (value - low) ** 2) + sum(after, (value) => (value - high) ** 2);
  const variance = ((WEIGHT * ASSUMED_SD ** 2 + squares) / df) * (1 / before.length + 1 / after.length);
  const logDensity = (rise: number): number => (-(df + 1) / 2) * Math.log1p((high - low - rise) ** 2 / variance / df);
  return logSumExp(RISES.map(logDensity)) - Math.log(RISES.length) - logDensity(0);
}
