/*
 * The documents, with the types of their schemas. The build writes these types out (scripts/types/documents.js),
 * because those of the package must not need zod.
 */
export type { Json } from '#lib';
export type { Calibration } from '#decide';
export type { Comparison, ComparedConfiguration } from '#decide';
export type { Ranking } from '#decide';
export type { AgentEvent, EventBody, RunEvent } from '#model';
export type { GateDetail, Metrics, Outcome } from '#model';
export type { AgentRecord, CommandRecord, RunRecord } from '#model';
export type { SweepCell, SweepDocument } from '#decide';
export type { TokenUsage } from '#model';
