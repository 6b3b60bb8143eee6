import type { CommandResult } from '../lib/command-result.js';
import type { StopReason } from '../lib/supervision.js';
import type { FileStat } from '../gates/gate.js';

/** Where a run takes place. JSON, so that any later step, on any worker of the host, can use it. */
export interface EnvironmentHandle {
  type: 'local' | 'bubblewrap' | 'docker';
  /** The run's private folder in the environment; `workspace` is inside it. */
  root: string;
  workspace: string;
  /** Folder of the host that keeps what each start of the agent printed and how it ended (journal.ts). */
  journal: string;
  /** In the environment variables of everything that the run starts. */
  mark: string;
  /** Files and folders that the agent is not to see; only a sandbox hides them. */
  hidden: string[];
  /** The project's folder, hidden but for the programs in it; null where there is none. */
  project: string | null;
  /** A sandbox's own network, into which these ports of this machine's loopback are let; absent where it is shared. */
  network?: { ports: number[] };
  /** The run's own container; absent where the run shares the files and the programs of this machine. */
  container?: Container;
}

/** A container, by the command line that it is reached with. */
export interface Container {
  command: 'docker' | 'podman';
  /** Id of its image: a tag may be moved while a sweep lasts. */
  image: string;
  name: string;
}

/** Whether a run takes place among the files and programs of this machine. */
export const sharesHost = ({ container }: Pick<EnvironmentHandle, 'container'>): boolean =>
  container === undefined;

/** What a run begins with. */
export interface Contents {
  /** Folder of the host: the fixture's snapshot, whose initial-state/ goes to the root. null: nothing. */
  fixture: string | null;
  /** Written over the fixture, by their paths in the workspace. */
  files: Record<string, string>;
  /** Programs that come first on PATH: their names, and the paths that they stand for in the environment. */
  programs: Record<string, string>;
}

export interface ExecRequest {
  command: string;
  env: Record<string, string>;
  timeoutSecs: number;
  /** Leave what the command put into the background running until the run ends. */
  keepBackground?: boolean;
  /** It may run what the agent has made: where there is a sandbox, it is run in that, with these places to read. */
  inSandbox?: { shown: string[] };
  /** Which step it belongs to, so that `kill` can end what is left of that alone. */
  part?: string;
  signal?: AbortSignal;
}

export interface StartRequest {
  /** Which start of the agent this is, from 1: each has files of its own. */
  start: number;
  argv: string[];
  env: Record<string, string>;
  stdin: string;
  /** Written before, readable for the agent alone; their paths are below the run's private folder. */
  files: { path: string; content: string }[];
  deadlineSecs: number;
  idleSecs: number | null;
}

export type ProcessState =
  | { state: 'none' | 'starting' | 'running' | 'dead' }
  | { state: 'ended'; exitCode: number; stopped: StopReason | null };

/** A start of the agent, and why it is stopped; what is left of a step; or whatever of the run is alive. */
type Killed = { start: number; reason: 'cancel' | 'cost' } | { part: string } | 'everything';

/**
 * A place to run in, which need not share a disk with the host. It remembers nothing of the run but what is in the workspace
 * and the private folders: what a run remembers is in files of the host. Adding one is a file and a line in `index.ts`.
 */
export interface Environment {
  /**
   * Makes a fresh workspace and empty private folders. Asks `confirm`, which throws when another attempt has taken over,
   * before it touches what that may use.
   */
  prepare(handle: EnvironmentHandle, contents: Contents, confirm: () => Promise<void>): Promise<void>;
  /** Runs a command in the workspace to its end. */
  exec(handle: EnvironmentHandle, request: ExecRequest): Promise<CommandResult>;
  /** Starts the agent so that it outlives this process. */
  start(handle: EnvironmentHandle, request: StartRequest): Promise<void>;
  /**
   * What has become of a start of the agent; what it has printed so far is in the journal then. With `untilEnd`, waits
   * until the agent has ended or is found dead, and writes the journal meanwhile; rejects when that signal aborts.
   */
  inspect(handle: EnvironmentHandle, start: number, untilEnd?: AbortSignal): Promise<ProcessState>;
  /** Ends processes, and waits until they are gone. */
  kill(handle: EnvironmentHandle, what: Killed): Promise<void>;
  /** Looks at a path of the workspace, or of another folder of the run's. */
  look(handle: EnvironmentHandle, path: string, folder?: string): Promise<FileStat>;
  /** Lets `use` read the workspace in a folder of the host; null when the workspace is gone. */
  view<T>(handle: EnvironmentHandle, use: (folder: string) => Promise<T>): Promise<T | null>;
  /** Ends whatever of the run is still alive, and removes workspace and private folders. The journal stays. */
  dispose(handle: EnvironmentHandle): Promise<void>;
}
