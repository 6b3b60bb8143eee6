import { sum, type Count, type Interval } from './counts.js';

export interface ShrunkRate {
  rate: number;
  interval: Interval;
}

/** From fewer rates, it is not known how much they vary. */
const FEWEST = 6;

/** Middles of equal parts of the range from 0 to 1. */
const middles = (parts: number): number[] => Array.from({ length: parts }, (_, at) => (at + 0.5) / parts);
const MEANS = middles(20);
/** Correlations of runs of the same scenario: 0 if all scenarios pass alike, 1 if each always or never passes. */
const CORRELATIONS = middles(16);
const RATES = middles(100);
const LOGS = RATES.map((rate) => ({ passed: Math.log(rate), failed: Math.log(1 - rate) }));

interface Prior {
  /** The parameters of a beta distribution: as if so many runs had passed and failed before. */
  passed: number;
  failed: number;
  logLikelihood: number;
}

/**
 * Returns the pass rate of each scenario as all of them together suggest, with its interval; null for fewer than 6. A
 * rate of few runs is drawn towards the mean of all, the more the less scenarios vary. Each scenario's rate is taken
 * from a beta distribution whose mean and spread are themselves unknown and averaged over, so that intervals cover
 * although the spread is estimated: A. Gelman and others, "Bayesian Data Analysis" (2013), 5.3, with a uniform prior of
 * mean and correlation.
 */
export function shrunkRates(counts: readonly Count[], { alpha }: { alpha: number }): ShrunkRate[] | null {
  const tested = counts.filter(({ tested: runs }) => runs > 0);
  if (tested.length < FEWEST) return null;
  const known = new Map<string, ShrunkRate>();
  const priors = weighted(
    MEANS.flatMap((mean) =>
      CORRELATIONS.map((correlation): Prior => {
        const size = 1 / correlation - 1;
        const prior = { passed: mean * size, failed: (1 - mean) * size };
        return { ...prior, logLikelihood: sum(tested, (one) => logLikelihoodOf(one, prior)) };
      }),
    ),
  );
  return counts.map((count) => {
    const key = `${count.passed} of ${count.tested}`;
    const found = known.get(key) ?? shrink(count, priors, alpha);
    known.set(key, found);
    return found;
  });
}

/** Beta-binomial, without the factor that does not depend on the prior. */
function logLikelihoodOf({ passed, tested }: Count, prior: Pick<Prior, 'passed' | 'failed'>): number {
  let log = 0;
  for (let run = 0; run < tested; run++)
    log +=
      Math.log(run < passed ? prior.passed + run : prior.failed + run - passed) -
      Math.log(prior.passed + prior.failed + run);
  return log;
}

/** Leaves out those that do not count. */
function weighted(priors: readonly Prior[]): (Prior & { weight: number })[] {
  const most = Math.max(...priors.map(({ logLikelihood }) => logLikelihood));
  const all = priors.map((prior) => ({ ...prior, weight: Math.exp(prior.logLikelihood - most) }));
  return all.filter(({ weight }) => weight > 1e-3);
}

function shrink({ passed, tested }: Count, priors: readonly (Prior & { weight: number })[], alpha: number): ShrunkRate {
  const masses = RATES.map(() => 0);
  for (const prior of priors) {
    const [a, b] = [prior.passed + passed - 1, prior.failed + tested - passed - 1];
    const logs = LOGS.map((log) => a * log.passed + b * log.failed);
    const most = Math.max(...logs);
    const densities = logs.map((log) => Math.exp(log - most));
    const share = prior.weight / sum(densities, (density) => density);
    for (const [at, density] of densities.entries()) masses[at] = (masses[at] ?? 0) + share * density;
  }
  const total = sum(masses, (mass) => mass);
  const quantile = (share: number): number => {
    let below = 0;
    for (const [at, mass] of masses.entries()) {
      if (below + mass >= share * total) return (at + (share * total - below) / mass) / RATES.length;
      below += mass;
    }
    return 1;
  };
  return {
    rate: sum(RATES, (rate) => rate * (masses[RATES.indexOf(rate)] ?? 0)) / total,
    // A scenario that always passed may always pass.
    interval: {
      low: passed === 0 ? 0 : quantile(alpha / 2),
      high: passed === tested ? 1 : quantile(1 - alpha / 2),
    },
  };
}
