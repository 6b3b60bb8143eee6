export * from './pure.js';
export { ParameterResults } from './by-parameter.js';
export { calibrateGates } from './calibration/calibrate-gates.js';
export { calibrate } from './calibration/calibrate.js';
export { type DecidedGate, gateJudgeKey } from './calibration/decided-gate.js';
export {
  type Agreement,
  Calibration,
  calibrationFields,
  type Calibrations,
  calibrationsIn,
  GateCalibration,
} from './calibration/document.js';
export { driftText, withoutDriftText } from './calibration/drift-note.js';
export { rangeText } from './calibration/judge-note.js';
export { judgeNotes, judgeWarnings } from './calibration/judge-notes.js';
export { type JudgedRun, judgeKey } from './calibration/judged-run.js';
export {
  BaselineLine,
  baselineOf,
  formatBaseline,
  parseBaseline,
  updateBaseline,
} from './comparison/baseline.js';
export type { RunInputs } from './comparison/changes.js';
export { compareSweeps, compareWithBaseline, type SweepToCompare } from './comparison/compare-sweeps.js';
export { comparedCalibrations, comparedJudgeWarnings } from './comparison/compared-judges.js';
export {
  ALPHA,
  Change,
  ComparedConfiguration,
  Comparison,
  type ComparisonOptions,
  ComparisonVerdict,
  Configuration,
  DEFAULT_OPTIONS,
  DIFFERENCE_TO_SHOW,
  Gate,
  POWER,
  Side,
} from './comparison/document.js';
export { hidden } from './comparison/findings.js';
export { jsonDifferences } from './comparison/json-differences.js';
export { isJudged, type JudgedFacts, UNCHECKED, withJudgeDrift } from './comparison/judge-drift.js';
export { withOrigins } from './comparison/looks.js';
export { type Effect, Measure } from './comparison/measure.js';
export { oneVariant } from './comparison/one-variant.js';
export { armsOf, type Sample } from './comparison/samples.js';
export { canDecide } from './decision/can-decide.js';
export { decide } from './decision/decide.js';
export { Decision } from './decision/decision.js';
export { endedCells } from './decision/ended-cells.js';
export { cellsOfPair, configurationKey, pairedCells } from './decision/paired-cells.js';
export { MOST_RUNS, UntilClear } from './decision/until-clear.js';
export {
  CLEAN_KINDS,
  type CleanDocument,
  type CleanKind,
  type CleanSizes,
} from './documents/clean-document.js';
export { Firing, firingId } from './documents/firing.js';
export { NightCount } from './documents/nights.js';
export { ScheduleSummary } from './documents/schedule-list.js';
export { buildSweepDocument, SweepCell, SweepDocument } from './documents/sweep-document.js';
export { type PlannedSweep, summarizeSweeps, type SweepSummary } from './documents/sweep-list.js';
export {
  configurationsIn,
  expectedOf,
  forecast,
  type Forecast,
  type ForecastConfiguration,
  type ForecastPoint,
} from './forecast.js';
export { type BuildUsed, mixedBuilds } from './mixed-builds.js';
export {
  type CleanFacts,
  type CleanPlan,
  type LineFact,
  planClean,
  type RunFact,
  type ScheduleFact,
  type SnapshotFact,
  type SweepFact,
} from './plan-clean.js';
export { type AgentName, AgentPair, RankedAgent, Ranking } from './ranking/document.js';
export { rankAgents } from './ranking/rank-agents.js';
export { remainingSecs } from './remaining-time.js';
export { exitCodeOf } from './exit-code.js';
export {
  beginningsOf,
  decideNight,
  isBaseline,
  lossText,
  nightText,
  riseTexts,
  textOfFiring,
} from './schedules/decide-firing.js';
export { followSchedule } from './schedules/follow-schedule.js';
export { countsOf, isComplete, type Night, rateOfNight } from './schedules/night.js';
export { FAIL_ON, type Overlap, OVERLAPS } from './schedules/policies.js';
export { type CellFilter, isFilter, NAMED, selectCells } from './select-cells.js';
export { doneAgainText, type Paid, paidCost, totalsOf, unfinishedCells } from './totals.js';
export { scenarioTrends, type Trend, type TrendPoint } from './trends.js';
export { turnOrder } from './turn-order.js';
export { whyNotPassed } from './why-not-passed.js';
export { endedWithoutResult, errorsWithin, isDecided } from './without-result.js';
