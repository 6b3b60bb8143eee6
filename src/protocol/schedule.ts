import type { SweepInput } from './sweep.js';

/** Input of the workflow that a schedule starts. It is the same each time. */
export interface ScheduledInput {
  schedule: string;
  /** Proof that a command created the schedule with its settings as they are now; see `host/security/origin.ts`. */
  proof: string;
}

/** Identifies a firing to its activities. */
export interface FiringRef extends ScheduledInput {
  /** Run id of the workflow's first execution; a reset keeps it. */
  execution: string;
}

/** A planned firing. `sweep` is null if nothing can be started; its record says why. */
export interface PlannedFiring {
  firing: string;
  sweep: SweepInput | null;
  /** The key of its owner, for fair shares. Absent if the owner is not known. */
  fairnessKey?: string;
  /** The title of the sweep in the Web UI. */
  title: string;
}

/** The end of the sweep of a firing. */
export interface FiringEnd extends FiringRef {
  firing: string;
  status: 'completed' | 'cancelled' | 'lost' | 'not started';
  /** The reason why it was lost. */
  message?: string;
}

export interface ScheduledResult {
  firing: string;
  sweep: string | null;
}

/** The result of the workflow that reports a firing. */
export interface ReportedFiring {
  firing: string;
  exitCode: number;
}

const REPORT = '/report';

/** The id of the workflow that reports a firing. */
export const reportWorkflowId = (firing: string): string => `${firing}${REPORT}`;

/** The id of a project's schedule on the Temporal server, and the beginning of the ids of its workflows. */
export const scheduleId = (projectId: string, schedule: string): string => `llm-tool-test/${projectId}/${schedule}`;

/**
 * Returns when a workflow of a schedule, or the one that reports it, was due, ms since the epoch; null if it is none.
 * The server appends the time to the id: `llm-tool-test/<project>/nightly-2026-11-24T03:00:00Z`.
 */
export function timeOfFiring(workflowId: string, schedule: string): number | null {
  const firing = workflowId.endsWith(REPORT) ? workflowId.slice(0, -REPORT.length) : workflowId;
  const id = firing.slice(0, -21);
  const time = firing.slice(-20);
  if (!id.endsWith(`/${schedule}`) || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(time)) return null;
  const at = Date.parse(time);
  return Number.isNaN(at) ? null : at;
}
