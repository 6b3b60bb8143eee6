import type { StopReason } from '../lib/supervision.js';
import type { EventBody } from '../results/records/events.js';
import type { EndReason } from '../results/records/run-record.js';
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
  /** What the agent is told before the prompt, by its system prompt where it has one; null: nothing. */
  system: string | null;
  /** Who serves the model; null for agents that are not told. */
  access: ModelAccess | null;
  /** The scenario's scripted steps, for the mock. */
  mock: Mock | null;
  /** Whether this program's own files and its Node are there; not so in a container. */
  hasNode: boolean;
}

/** A provider of models, as the user's variables or the config's `[providers.x]` say. */
export interface ModelAccess {
  /** null where there is none, or the agent has logged in. */
  key: string | null;
  /** null: the maker's own address. */
  baseUrl: string | null;
}

/** How to start an agent. Files are written before; the prompt goes by the safest channel that the agent has. */
export interface AgentLaunch {
  argv: string[];
  /** In addition to the allow-list that every agent gets. */
  env: Record<string, string>;
  stdin: string;
  files: { path: string; content: string }[];
}

/**
 * Turns an agent's native stream, line by line, into events. Keeps what it must remember between lines. One parser reads
 * a session to its end, over all starts that went on with it: where an agent counts over the whole session, the parser
 * says what is new. Ends in a `result` event only where the agent said itself how it ended.
 */
export interface StreamParser {
  line(text: string): EventBody[];
  /** What is known only when the stream is over. */
  end(): EventBody[];
  /** Whether the model has answered, now or in a start before, and no `usage` event covers that. */
  usagePending(): boolean;
}

/** The facts by which the end of an agent is classified. */
export interface AgentEnd {
  exitCode: number;
  stopped: StopReason | null;
  /** ms since the epoch */
  at: number;
  /** The last `result` and `error` events of the stream. */
  result: Extract<EventBody, { type: 'result' }> | null;
  error: Extract<EventBody, { type: 'error' }> | null;
  stderr: string;
}

export interface Classified {
  ending: EndReason;
  message: string;
  /** Whether the same agent may do better at another time; null: no. */
  again: RetryHint | null;
}

export interface RetryHint {
  /**
   * `limit`: the account's, so that other runs with the provider would meet it too. `busy`: a rate limit or an outage.
   * `session`: the session to go on with is not there; a new one is needed.
   */
  why: 'busy' | 'limit' | 'session';
  /** When, as far as the provider says; ms since the epoch. */
  at: number | null;
}

/** A file of credentials: below the user's HOME, and where the agent finds it in a run. */
export interface LoginFile {
  home: string;
  /** Absolute; the request's `home` and `config` are private to the run. */
  at(request: Pick<AgentRequest, 'home' | 'config'>): string;
}

/** One agent program. The worker supervises it; an adapter only knows how it is started, read and understood. */
export interface Agent {
  name: string;
  /** A name on PATH, or a path. */
  program: string;
  /** Spends no money, so that no leave is needed to run it. */
  free: boolean;
  /** Models to use where nobody names any. */
  models: string[];
  /** Name of the provider whose key and address it gets for a model of a cell; null: it is given none. */
  provider(model: string): string | null;
  /** Why it cannot be run with a model of a cell; null: it can. */
  refuses(model: string): string | null;
  /** What it needs of the user's own login, in place of a key; null: it does not log in, or is not told to. */
  login: LoginFile[] | null;
  /** Whether it keeps to `run.max_turns`. */
  limitsTurns: boolean;
  /** Prints its version; null where there is nothing to ask. */
  version: string[] | null;
  launch(request: AgentRequest): AgentLaunch;
  /** Goes on with the agent's own session, in the same workspace, after a loss; null where that is not sound. */
  resume: ((request: AgentRequest, sessionId: string) => AgentLaunch) | null;
  parser(): StreamParser;
  classify(end: AgentEnd): Classified;
}
