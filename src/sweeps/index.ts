export { bringSweepRuns, FEW_RUNS } from './bring-runs.js';
export { baselineOfSweep, comparisonOf, comparisonWithBaseline } from './comparison-of.js';
export {
  hasEnded,
  findById,
  findPlan,
  findSweep,
  type SweepOrRun as Found,
  sweepStatus,
  newestSweeps,
} from './find-sweep.js';
export { nightOfFiring } from './judge-night.js';
export { judgedFacts, reviewReader, withCalibration } from './judged-runs.js';
export { rankingOf } from './ranking-of.js';
export { corruptLine, readDigestedLog, readLog, readRecords, tryReadActionLog } from './read-records.js';
export { readEvaluation, readReview } from './read-review.js';
export { readSweepList } from './read-sweep-list.js';
export { decidedBy } from './read-to-compare.js';
export { reportNight } from './report-night.js';
export { sweepDocument, savedQueries, uiPage } from './sweep-document.js';
