import type { RetryHint } from '#agents';
import type { AgentRecord, Efficiency, RecordedTrajectory, TokenUsage } from '#model';
import type { FilesAfter } from '../step/files-after.js';

/** Result of a step that ran the agent, for the steps after it. */
export interface AgentStep {
  record: AgentRecord;
  /** Null if the agent was not started. */
  efficiency: Efficiency | null;
  /** Null if the agent was not started. */
  trajectory: RecordedTrajectory | null;
  /** Why the agent's work cannot be judged: the disk was full. Absent if it was not. */
  spoiled?: string;
  /** When and why the agent may succeed later; null if it will not. */
  again: RetryHint | null;
  /** True if the agent was not started, because its account had reached a limit. */
  held?: true;
  /** Warnings about the transcripts. Absent if the agent was not started. */
  warnings?: string[];
  /** The workspace after it; null if it could not be read. Absent if the scenario does not want it recorded. */
  after?: FilesAfter | null;
  /** The events of this turn; the other fields cover all turns until now. Absent if the agent was not started. */
  turn?: TurnDone;
}

/** What happened in one turn of the conversation. */
export interface TurnDone {
  /** From 1, over all steps of the run. */
  number: number;
  /** Index of its step among the scenario's. */
  at: number;
  /** The agent's first start in this turn. */
  first: number;
  /** What the user said. */
  user: string;
  /** The agent's last message in this turn; null if it said nothing. */
  agent: string | null;
  /** The turn alone. Absent in the first turn, of which the whole step says the same. */
  own?: OwnTurn;
}

export interface OwnTurn {
  trajectory: RecordedTrajectory;
  efficiency: Efficiency;
  duration_ms: number;
  tokens: TokenUsage;
  cost_usd: number | null;
}
