/*
 * The documents, with the types of their schemas. The build writes these types out (scripts/types/documents.js), because
 * those of the package must not need zod.
 */
export type { Json } from '../lib/json.js';
export type { Calibration } from '../results/calibration/document.js';
export type { Comparison, ComparedConfiguration } from '../results/comparison/document.js';
export type { Ranking } from '../results/ranking/document.js';
export type { AgentEvent, EventBody, RunEvent } from '../results/records/events.js';
export type { GateDetail, Metrics, Outcome } from '../results/records/result-line.js';
export type { AgentRecord, CommandRecord, RunRecord } from '../results/records/run-record.js';
export type { SweepCell, SweepDocument } from '../results/records/sweep-document.js';
export type { TokenUsage } from '../results/records/token-usage.js';
