export {
  type AgentHeartbeat,
  type AgentProgress,
  type LostHost,
  type RunPlace,
  type AgentSummary,
  type CarriedRun,
  type ContextBrief,
  type ConversationBrief,
  type ConversationTurn,
  type JudgeBrief,
  type LoopStep,
  type ReportInput,
  type RequestPlace,
  type RunInput,
  type RunRef,
  type RunResult,
  type StepFailure,
  type TurnRef,
  waitNumber,
} from './run.js';
export type { LostRun, LostRunsInput, PlaceInput, Signs, SignsInput } from './hosts.js';
export {
  cellOfRun,
  gateActivity,
  hostQueueOf,
  isGateActivity,
  parseRunWorkflowId,
  placeQueueOf,
  QUERIES,
  type RunNumbers,
  runWorkflowId,
  SIGNALS,
  SWEEP_ID,
  sweepWorkflowId,
  UPDATES,
  WORKFLOWS,
} from './names.js';
export type { CellKind, CellPage, PageCell, ProviderLimit } from './pages.js';
export type { KeptSteps, PlannedBuild, PlannedGate, PlannedStep, RunPlan } from './run-plan.js';
export {
  type FiringEnd,
  type FiringRef,
  type PlannedFiring,
  type ReportedFiring,
  reportWorkflowId,
  type ScheduledInput,
  type ScheduledResult,
  scheduleId,
  timeOfFiring,
} from './schedule.js';
export type { Money, MonthMoney, MonthRead } from './money.js';
export { sweepOrder, sweepTitle } from './sweep-order.js';
export {
  type CarriedSweep,
  type Decided,
  type MonthInput,
  type DecideInput,
  type EndedRun,
  type FindEndedInput,
  type LoadCellsInput,
  type LostCell,
  type OpenRun,
  originOf,
  type Parked,
  type ProvenOrder,
  type SweepEnd,
  type SweepInput,
  type SweepOrigin,
  type SweepProgress,
  type SweepResult,
  type SweepStatus,
  type UnreadCells,
} from './sweep.js';
export { type GateEnd, gateEndIn, type GateStatus, passedGate, passedRun, runResultIn } from './visible-failures.js';
export { beatMs, checkMs, LOST_SECS, lostSecsOf } from './signs-of-life.js';
