export * from './pure.js';
export {
  type ExpectedSweeps,
  expectedRounds,
  conditionalPower,
  futileAfter,
  neededRuns,
  runsToShow,
  smallestToShow,
  type SweepToExpect,
  type ToShow,
} from './needed-runs.js';
export { expectedRoundsOfMeans, runsToShowMeans, smallestMeansToShow } from './needed-rewards.js';
export { type Followed, followNights, SUSPICION, nightSd } from './follow-nights.js';
export { holm, testFamily } from './test-family.js';
export { type Ends, highestP, highestSureP } from './highest-p.js';
export { lowestP } from './lowest-p.js';
export { directionOf } from './direction.js';
export { type Account, afterStart, firstLevel, informationIn, leftOf, lookIn, POOL, spentOf } from './ledger.js';
export { look, type Look, type Round, timesOf, total, sequentialP } from './look.js';
export { firstDecisiveBet, intervalByMeans, powerByMeans, type Turn, verdictByMeans } from './look-at-means.js';
export { lossEvidence, riseEvidence } from './loss-evidence.js';
export { meanBias, meanRate } from './mean-rate.js';
export { meanChange } from './mean-change.js';
export { nextRound } from './next-round.js';
export { normalTail } from './normal.js';
export { equivalent, notWorse } from './miettinen-nurminen.js';
export { firstDecisive } from './one-configuration.js';
export { intervalOfOthers, otherScenarios, shorterWith } from './other-scenarios.js';
export { type Estimated, type Flips, flipsP, less, movedBy, movedInterval } from './paired-change.js';
export { passAtK, passHatK } from './pass-at-k.js';
export { predictionPoweredMean } from './prediction-powered-mean.js';
export { type ScorePair, weightedKappa } from './weighted-kappa.js';
export { firstContrast } from './sequential-test.js';
export { shrunkRates } from './shrunk-rates.js';
export { boundaries } from './spending.js';
export { decide, smallestPossible, testDifference, type TestedDifference } from './test-difference.js';
export { highestAdjustedPs, lowestAdjustedPs, testEach, type TestedConfiguration } from './test-each.js';
