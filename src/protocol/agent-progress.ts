/** What an agent is doing, as the heartbeats of its step say. */
export interface AgentProgress {
  /** Its last command or message, redacted and shortened; null if it has shown none yet. */
  doing: string | null;
  /** Number of its events so far. */
  events: number;
  /** What the run's agent has cost so far, US dollars; absent if unknown. */
  costUsd?: number;
}

/** The part of a heartbeat's details that says what an agent is doing. Absent if the step performs none. */
export interface AgentHeartbeat {
  agent?: AgentProgress;
}
