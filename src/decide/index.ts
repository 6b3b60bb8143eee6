export * from './pure.js';
export { ParameterResults } from './by-parameter.js';
export { calibrateGates, type DecidedGate, gateJudgeKey } from './calibration/calibrate-gates.js';
export { calibrate, type JudgedRun, judgeKey } from './calibration/calibrate.js';
export {
  type Agreement,
  Calibration,
  calibrationFields,
  type Calibrations,
  calibrationsIn,
  GateCalibration,
} from './calibration/document.js';
export {
  driftText,
  judgeCheck,
  withoutDriftText,
  rangeText,
  judgeNotes,
  judgeWarnings,
  comparedCalibrations,
  comparedJudgeWarnings,
} from './calibration/judge-notes.js';
export { BaselineLine, baselineOf, formatBaseline, parseBaseline, updateBaseline } from './comparison/baseline.js';
export { type RunInputs, jsonDifferences } from './comparison/changes.js';
export { compareSweeps, compareWithBaseline, type SweepToCompare, oneVariant } from './comparison/compare-sweeps.js';
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
  POWER,
} from './comparison/document.js';
export { hidden } from './comparison/findings.js';
export { Gate } from './comparison/gate.js';
export { Side } from './comparison/side.js';
export { isJudged, type JudgedFacts, SAMPLE, UNCHECKED } from './comparison/judge-drift.js';
export { decisionWithJudgeDrift, withJudgeDrift } from './comparison/with-judge-drift.js';
export { spentBefore, withOrigins } from './comparison/looks.js';
export { type Effect, Measure } from './comparison/measure.js';
export { armsOf, type Sample } from './comparison/arms.js';
export { canDecide, decide } from './decision/decide.js';
export { Decision } from './decision/decision.js';
export { endedCells, cellsOfPair, configurationKey, pairedCells } from './decision/paired-cells.js';
export {
  inputsOfLine,
  isSameQuestion,
  isSameSide,
  type Question,
  questionOf,
  type SideInputs,
  type Start,
} from './decision/question.js';
export { MAX_RUNS, type SpentBefore, UntilClear } from './decision/until-clear.js';
export {
  CLEAN_KINDS,
  type CleanDocument,
  type CleanKind,
  type CleanSizes,
  type CleanFacts,
  type CleanPlan,
  type LineFact,
  planClean,
  type RunFact,
  type ScheduleFact,
  type SnapshotFact,
  type SweepFact,
} from './plan-clean.js';
export { Firing, firingId, ScheduleSummary } from './documents/firing.js';
export { NightCount } from './documents/nights.js';
export { buildSweepDocument, SweepCell, SweepDocument, type SweepDocumentInput } from './documents/sweep-document.js';
export { type PlannedSweep, summarizeSweeps, type SweepSummary, toSummarize } from './documents/sweep-list.js';
export {
  configurationsIn,
  expectedOf,
  forecast,
  type Forecast,
  type ForecastConfiguration,
  type ForecastPoint,
} from './forecast.js';
export { remainingSecs } from './remaining-secs.js';
export { type BuildUsed, mixedBuilds } from './mixed-builds.js';
export { type AgentName, AgentPair, RankedAgent, Ranking } from './ranking/document.js';
export { rankAgents } from './ranking/rank-agents.js';
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
export {
  countsOf,
  isComplete,
  type Night,
  rateOfNight,
  scenarioTrends,
  type Trend,
  type TrendPoint,
} from './schedules/night.js';
export { FAIL_ON, type Overlap, OVERLAPS } from './schedules/policies.js';
export { type CellFilter, isFilter, NAMED, selectCells, turnOrder } from './select-cells.js';
export { doneAgainText, type Paid, paidCost, totalsOf, unfinishedCells } from './totals.js';
export { failureReason, endedWithoutResult, errorsWithin, isDecided, isTested } from './is-tested.js';
