import type { EventBody } from '../results/events.js';
import type { Ending } from '../results/run-record.js';
import type { Mock } from '../scenario/mock.js';

/** What an agent is asked to do, in terms of no agent in particular. Paths are absolute. */
export interface AgentRequest {
  prompt: string;
  /** As the cell names it; "default" leaves the choice to the agent. */
  model: string;
  workspace: string;
  /** Private folders of the run, the same for every attempt: an agent's session can only be resumed from the same place. */
  home: string;
  config: string;
  /** A UUID for agents that accept one chosen by us. */
  sessionId: string;
  maxTurns: number | null;
  /** The scenario's scripted steps, for the mock. */
  mock: Mock | null;
}

/** How to start an agent. Files are written before; the prompt goes by the safest channel that the agent has. */
export interface AgentLaunch {
  argv: string[];
  /** In addition to the allow-list that every agent gets. */
  env: Record<string, string>;
  stdin: string;
  files: { path: string; content: string }[];
}

/** Turns an agent's native stream, line by line, into events. Keeps what it must remember between lines. */
export interface StreamParser {
  line(text: string): EventBody[];
  /** What is known only when the stream is over. */
  end(): EventBody[];
}

/** The facts by which the end of an agent is classified. */
export interface AgentEnd {
  exitCode: number;
  stopped: 'cancel' | 'deadline' | 'idle' | 'cost' | null;
  /** The last `result` and `error` events of the stream. */
  result: Extract<EventBody, { type: 'result' }> | null;
  error: Extract<EventBody, { type: 'error' }> | null;
  stderr: string;
}

export interface Classified {
  ending: Ending;
  message: string;
  /** Whether the same agent may do better at another time: a rate limit, a provider's outage. */
  retryable: boolean;
}

/** One agent program. The worker supervises it; an adapter only knows how it is started, read and understood. */
export interface Agent {
  name: string;
  /** Spends no money, so that no leave is needed to run it. */
  free: boolean;
  /** Models to use where nobody names any. */
  models: string[];
  /** Variables that it gets from the user's environment: keys of its provider. */
  env: string[];
  /** Prints its version; null where there is nothing to ask. */
  version: string[] | null;
  launch(request: AgentRequest): AgentLaunch;
  /** Goes on with the agent's own session after a loss; null where that is not sound. */
  resume: ((request: AgentRequest, sessionId: string) => AgentLaunch) | null;
  parser(): StreamParser;
  classify(end: AgentEnd): Classified;
}
