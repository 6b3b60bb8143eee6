export * from './pure.js';
export { capabilitiesIn, CapabilityRate, capabilityRates } from './capabilities.js';
export { compositeScore, compositeTier, type Check, decideOutcome } from './verdict.js';
export { contextInputs, contextOf, type SubjectSides, subjectTokens, SubjectTokens } from './subject-tokens.js';
export { conversationText, ConversationRecord, Turn } from './records/conversation.js';
export { contextTokensOf, createPricer, Price, type Pricer, sumOfCosts } from './cost.js';
export { gateKey } from './gate-title.js';
export {
  mockWarnings,
  mockedCallText,
  outputsThatDoNotFit,
  outputWarnings,
  type RunOutput,
} from './output-warnings.js';
export { isCurrent, limitReported, mergeLimits, NotedLimit, permissionFor, Probe } from './provider-limit.js';
export { agentWork, AgentWork, FirstRequest, unknownRequest } from './records/agent-work.js';
export { Cell, configurationOf } from './records/cell.js';
export { AgentEvent, EventBody, RunEvent } from './records/events.js';
export { Execution, Executions, type WorkspaceChange, type WorkspaceChanges } from './records/execution.js';
export { AuditEntry, type AuditVerb } from './records/audit-entry.js';
export { type Declined, HostRecord, runAgainText } from './records/host-record.js';
export { GateVerdict, HumanReview } from './records/human-review.js';
export { JsonValue, Count, Usd } from './records/quantities.js';
export { JudgeAnswer, Judgment, wrongOf } from './records/judgment.js';
export { isTooLong, LONGEST_NAME, tooLongCell } from './records/longest-names.js';
export { type McpEvent, ToolDefinitions } from './records/mcp-events.js';
export { MockedCall, MockedCalls } from './records/mocked-calls.js';
export { addProblems, hasProblems, KEPT_PROBLEMS, LineProblem, OutputProblems } from './records/output-problems.js';
export {
  recordedUsage,
  shownTokens,
  createUsageMeter,
  isCostAlone,
  type UsageMeter,
} from './transcript/usage-meter.js';
export { redactFields } from './records/redact-fields.js';
export { digestOf, type ResultDigest } from './records/result-digest.js';
export {
  Efficiency,
  EvaluatorResult,
  GateDetail,
  Metrics,
  ResultLine,
  resultWithoutRun,
  SCHEMA_VERSION,
  workRunOf,
} from './records/result-line.js';
export { resultOfRun } from './records/result-of-run.js';
export { NO_FACTS, Outcome, RunFacts, runFactsOf } from './records/run-facts.js';
export { AgentRecord, commandEnd, CommandRecord, EndReason, RunRecord, StepRecord } from './records/run-record.js';
export { ScheduleReference } from './records/schedule-reference.js';
export { NO_USAGE, REQUIRED_TOKENS, sumUsage, TokenUsage, totalTokens, unlessZero } from './records/token-usage.js';
export { decisiveReward, givesReward, isBounded, rewardOf } from './reward.js';
export { findRegressions, isBeyondChance, Regression } from './regressions.js';
export { parseReview } from './review/parse-review.js';
export { fieldsOfReview, ReviewFields, reviewOfFields } from './review/review-fields.js';
export { keepReview, NEXT_HEADING, REVIEW_HEADING, reviewForm } from './review/review-section.js';
export { NO_REVIEW, writeReview } from './review/write-review.js';
export { partsOnlyIn, type SubjectPart, subjectParts } from './subject-parts.js';
export { createTrace, type TracedRun } from './trace/create-trace.js';
export { type Action, type ActionLog, createActionCollector, hasFailed } from './transcript/action-log.js';
export { efficiencyOf, extractCommands, type Transcript } from './transcript/analyse-transcript.js';
export { callsWithoutResult } from './transcript/calls-without-result.js';
export type { Command } from './transcript/name-commands.js';
export { scriptsRunBy, baseName } from './transcript/shell-calls.js';
export { splitCommands } from './transcript/split-commands.js';
export type { SubjectUse } from './transcript/subject-use.js';
export { trajectorySteps } from './transcript/trajectory-steps.js';
export {
  type CommandLine,
  createTrajectoryCollector,
  type RecordedTrajectory,
  type Trajectory,
  UNREAD,
} from './transcript/trajectory.js';
