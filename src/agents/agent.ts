import type { HostedRun } from '#agent-host';
import type { StopReason } from '#lib';
import type { EndReason, EventBody, OutputProblems, TokenUsage } from '#model';
import type { StoredSubject, SubjectKind } from '#subjects';
import type { MockScript } from './mock-schema.js';
import type { RequestReader } from './request-reader.js';

/** The task of an agent, independent of the particular agent. Paths are absolute. */
export interface AgentRequest {
  prompt: string;
  /** The model as the cell names it. "default" leaves the choice to the agent. */
  model: string;
  workspace: string;
  /** Private folders of the run. They are the same for every attempt, because a session is only found in its place. */
  home: string;
  config: string;
  /** A UUID for agents that accept a session id from us. */
  sessionId: string;
  maxTurns: number | null;
  /** Text that precedes the prompt, passed as part of the system prompt if the agent has one. Null for none. */
  system: string | null;
  /** Access to the model's provider. Null for agents that get none from us. */
  access: ModelAccess | null;
  /** The scenario's scripted steps, for the mock. */
  mock: MockScript | null;
  /** True if this program's files and its Node are available; false in a container. */
  hasNode: boolean;
  /** Node and programs of ours, by their names, in a container in which they are mounted. Absent elsewhere. */
  mounted?: { node: string; program: (name: string) => string } | undefined;
  /** The data for agents in the agent host. Null or absent if the agent is not that of a scenario. */
  hosted?: HostedRun | null;
  /** Skills and instructions under test. Absent for none. */
  subject?: StoredSubject[] | undefined;
  /** The MCP servers under test, each as the program that the agent starts for it. Absent for none. */
  mcpServers?: McpProgram[] | undefined;
  /** The solution of a task folder: its folder in the checks folder, and its variables. Absent if there is none. */
  solution?: { folder: string; env: Record<string, string> } | undefined;
  /** Number of the turn of the conversation that the prompt begins, from 1, which is the default. */
  turn?: number;
}

/** A program that speaks MCP by stdio. */
export interface McpProgram {
  name: string;
  command: string;
  args: string[];
  env: Record<string, string>;
}

/** Access to a provider of models, from the user's variables or the config's `[providers.x]`. */
export interface ModelAccess {
  /** Null if there is none, or if the agent uses a login. */
  key: string | null;
  /** Null for the provider's default address. */
  baseUrl: string | null;
  /** Set if the config defines the provider, so that its API is like OpenAI's. */
  configured?: true;
}

/**
 * The settings to start an agent. Files are written before the start. The prompt uses the safest channel that the agent
 * has.
 */
export interface AgentLaunch {
  argv: string[];
  /** The program to look for, if the command line begins with another one that starts it. */
  program?: string;
  /** Variables in addition to the allow-list that every agent gets. */
  env: Record<string, string>;
  stdin: string;
  files: LaunchFile[];
  /** Folders of the checks folder that are copied into the container, each with its place there. Absent for none. */
  fromChecks?: { folder: string; to: string }[];
}

/** A file to write. `base64`: its content is base64. */
export interface LaunchFile {
  path: string;
  content: string;
  base64?: true;
  executable?: true;
}

/**
 * Converts an agent's native output to events, line by line, and keeps the state between lines. One parser reads a
 * whole session, including all starts that resumed it. If an agent reports totals of the session, the parser reports
 * their increase. The last event is a `result` only if the agent itself said how it ended.
 */
export interface StreamParser {
  /** Called before the first line of each start, by its number; lines are counted from there. */
  begin?(start: number): void;
  line(text: string): EventBody[];
  /** Returns the events that are only known at the end of the output. */
  end(): EventBody[];
  /** True if the model has answered, in this or an earlier start, and no `usage` event covers the answer. */
  usagePending(): boolean;
  /**
   * True if the agent has reported its end, and nothing that it has started will make it go on. Absent: as soon as
   * there is a `result`.
   */
  isOver?(): boolean;
  /** The lines so far that are invalid, or have numbers that cannot be right. Absent for plain text. */
  problems?(): OutputProblems;
  /** True if the lines are plain text, which becomes one message at the end. */
  readsText?: true;
  /** True if commands that still run when the agent reports success have no result. Absent: then every call has one. */
  leavesCallsOpen?: true;
  /** True if any error that it has reported makes its exit status 1, even one from which it recovered. */
  failsByAnyError?: true;
  /** True if commands that failed look like others, unless the agent states their exit code. */
  hidesFailures?: true;
}

/** The facts that determine how the end of an agent is classified. */
export interface AgentEnd {
  exitCode: number;
  stopped: StopReason | null;
  /** In ms since the epoch. */
  at: number;
  /** When it last printed to stdout, in ms since the epoch. Absent if unknown. */
  printedAt?: number;
  /** The last `result` event of the output. */
  result: Extract<EventBody, { type: 'result' }> | null;
  /** The last `error` event of the output that the agent did not recover from. */
  error: Extract<EventBody, { type: 'error' }> | null;
  stderr: string;
}

export interface Classified {
  ending: EndReason;
  message: string;
  /** The reason why the same agent may succeed at another time. Null if it is not expected to. */
  again: RetryHint | null;
}

export interface RetryHint {
  /**
   * `limit`: a limit of the account, which other runs with the provider would reach too. `busy`: a rate limit or an
   * outage. `session`: the session to resume does not exist, so a new one is needed. `killed`: it was killed from
   * outside.
   */
  why: 'busy' | 'limit' | 'session' | 'killed';
  /** When to retry, in ms since the epoch. Null if the provider does not say. */
  at: number | null;
  /** Set if something else answered in place of the provider, such as a page: its address may be wrong. */
  isMisled?: true;
}

/** A file of credentials: its place in the user's HOME, and where the agent finds it in a run. */
export interface LoginFile {
  home: string;
  /** Returns its absolute path in a run. The request's `home` and `config` are private to the run. */
  at(request: Pick<AgentRequest, 'home' | 'config'>): string;
}

/** The private folders of a run, in which an agent looks for its settings. */
type PrivateFolders = Pick<AgentRequest, 'home' | 'config'>;

/**
 * Where an agent finds each kind of subject: a folder for skills, a file for instructions, and a folder for plugins of
 * Claude Code, if it reads such. All are private to the run.
 */
type SubjectPlaces = Readonly<
  Record<Exclude<SubjectKind, 'plugin'>, (folders: PrivateFolders) => string> & {
    plugin?: (folders: PrivateFolders) => string;
  }
>;

/** The source of the size of a session's first request to the model (specs/reference/agents.md). */
interface FirstRequestSource {
  /** Creates a reader of what the agent prints, or of the log. */
  reader: () => RequestReader;
  /**
   * The log of a session, for an agent that prints only totals: somewhere below a private folder, with a name like in
   * `find -name`.
   */
  log?: (folders: PrivateFolders, sessionId: string) => { folder: string; name: string };
}

/** A log that says why the model ended its answers, for an agent that prints only their words. */
interface LastAnswerSource {
  /** A file, or the folder of several. */
  log(folders: PrivateFolders, sessionId: string): string;
  /** The script for `sed -n` that prints the records of answers. Logs are large, and may be on another machine. */
  records: string;
  /**
   * Returns why the last answer of a session is incomplete, from the last of those records. Null if nothing says that
   * it is.
   */
  sessionProblem(records: string, sessionId: string | null): string | null;
}

/** An agent program. The worker supervises it; an adapter only knows how to start it and how to read its output. */
export interface Agent {
  name: string;
  /** The built-in agent that it is, perhaps under another name. Absent for the mock and agents of the config. */
  adapter?: string;
  /** A name on PATH, or a path. */
  program: string;
  /** True if it costs nothing, so it runs without LLM_TOOL_TEST_ENABLED. */
  free: boolean;
  /** Models to use if nothing else names any. */
  models: string[];
  /** Name of the provider whose key and address the agent gets for a cell's model. Null if it gets none. */
  provider(model: string): string | null;
  /** The reason why it cannot be run with a cell's model. Null if it can. */
  modelProblem(model: string): string | null;
  /** The files of the user's login that it needs in place of a key. Null if it does not use a login. */
  login: LoginFile[] | null;
  /** Where it finds skills and instructions under test; a text says why it cannot be given any. */
  subject: SubjectPlaces | string;
  /** The reason why it cannot be given MCP servers under test. Null if it can. */
  mcpProblem: string | null;
  /** True if it supports `run.max_turns`. */
  limitsTurns: boolean;
  /** The command that installs the version that was tried. Absent if it is not known. */
  install?: string;
  /** A command that prints its version. Null if there is none. */
  version: string[] | null;
  launch(request: AgentRequest): AgentLaunch;
  /** True if it needs this program's files and its Node, which a container lacks unless they are mounted. */
  needsNode?: true;
  /** True if its program on this machine can be mounted into containers. */
  mountable?: true;
  /** True if it runs the solution of a task folder, so the scenario must be one. */
  solvesTasks?: true;
  /** True if it runs in the agent host, so the run must give it `hosted`. */
  isHosted?: true;
  /** True if it is no program: the run's own steps ask the model and perform its calls of tools. */
  isLoop?: true;
  /** True if the character, plugins and database of a scenario are for it. */
  usesRuntime?: true;
  /**
   * Gives the agent another message in its session, in the same workspace: the next one of the conversation, or a
   * request to continue after its process was lost. Null if that is not reliable.
   */
  resume: ((request: AgentRequest, sessionId: string) => AgentLaunch) | null;
  /**
   * True if a session contains only completed turns: an agent that was lost does its turn again from the beginning, and
   * is given the same message. Absent: it continues where it stopped.
   */
  repeatsTurns?: true;
  parser(): StreamParser;
  /** Absent if nothing says how large its requests are, or if it sends none. */
  firstRequest?: FirstRequestSource;
  /**
   * Returns the usage of one request, if a line of the log that `firstRequest` names is about that. For agents whose
   * output reports nothing of a turn that did not end.
   */
  usageInLog?: (line: string) => TokenUsage | null;
  /** Absent if the output says why the model ended its last answer. */
  lastAnswer?: LastAnswerSource;
  classify(end: AgentEnd): Classified;
}

/** An agent's settings in a project's config. Variables in values of `env` are already replaced. */
export interface AgentSettings {
  command?: string | undefined;
  /** Path of the module that is the agent, in place of a command. */
  module?: string | undefined;
  args: string[];
  models: string[];
  env: Record<string, string>;
  /** The built-in agent that it is under another name. */
  adapter?: string | undefined;
  /** For built-in agents only: how they get access, and in their own words how long the model thinks. */
  auth?: 'key' | 'login' | undefined;
  effort?: string | undefined;
  /** For other agents only, like the following fields: adapters of built-in agents determine these themselves. */
  prompt?: 'arg' | 'stdin' | 'file' | undefined;
  output?: 'text' | 'jsonl' | undefined;
  version_command?: string | undefined;
  free?: boolean | undefined;
  /** For an agent that speaks ACP: what is known of it, or true. */
  acp?: true | string | undefined;
  /** Its permissions, in its own words; for agents that speak ACP, the session mode. */
  mode?: string | undefined;
  /** For agents that speak ACP: the session options. */
  options?: Record<string, string> | undefined;
  /** For the agent `loop`: the most tokens of a conversation. */
  context_tokens?: number | undefined;
}
