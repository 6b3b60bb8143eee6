import { logChoose } from '../../src/statistics/log-factorial.ts';
import { spread } from './draw.js';

/** @typedef {import('./draw.js').Stratum} Stratum */

/** Log odds ratios of the alternatives, each as likely: a fall of 20 points is about -0.9. */
const ALTERNATIVES = spread(-2, 2, 17).filter((logOdds) => logOdds !== 0);

/**
 * A sequential test without a cap: after each round, the evidence against "no difference" is the mean over odds ratios
 * of the likelihood ratios of all rounds so far, given how many runs of both sides passed. It stops at 1 / alpha, which
 * it reaches by chance with a probability of at most alpha, however long it goes on. R. J. Turner and P. D. Grünwald,
 * "Safe sequential testing and effect estimation in stratified count data", arXiv:2302.11401 (2023).
 * @param {readonly (readonly Stratum[])[]} rounds @param {{ alpha: number }} options
 * @returns {number | null} after how many rounds it stops
 */
export function stopWithoutCap(rounds, { alpha }) {
  const logs = ALTERNATIVES.map(() => 0);
  for (const [at, round] of rounds.entries()) {
    for (const ratios of round.map(logRatios))
      for (const [index, ratio] of ratios.entries()) logs[index] = (logs[index] ?? 0) + ratio;
    const evidence = logs.reduce((sum, log) => sum + Math.exp(log), 0) / logs.length;
    if (evidence >= 1 / alpha) return at + 1;
  }
  return null;
}

/** A round has few runs, so the same counts come again and again. @type {Map<string, number[]>} */
const known = new Map();

/** @param {Stratum} stratum */
function logRatios(stratum) {
  const { base, head } = stratum;
  const key = `${base.passed} ${base.tested} ${head.passed} ${head.tested}`;
  const ratios = known.get(key) ?? ALTERNATIVES.map((logOdds) => logRatio(stratum, logOdds));
  known.set(key, ratios);
  return ratios;
}

/** The log likelihood ratio of the passes in head: this odds ratio against no difference.
 * @param {Stratum} stratum @param {number} logOdds */
function logRatio({ base, head }, logOdds) {
  const passed = base.passed + head.passed;
  const first = Math.max(0, passed - base.tested);
  const last = Math.min(passed, head.tested);
  let [weighted, all] = [0, 0];
  for (let x = first; x <= last; x++) {
    const ways = Math.exp(logChoose(head.tested, x) + logChoose(base.tested, passed - x));
    all += ways;
    weighted += ways * Math.exp(logOdds * x);
  }
  return logOdds * head.passed - Math.log(weighted / all);
}
