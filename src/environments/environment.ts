import type { FileStat, VerifierFiles } from '#gates';
import type { Command, CommandResult, StopReason } from '#lib';
import type { EnvironmentType } from './kinds.js';
import type { CloudSandbox, Container, FoundImage, Pod, RequestedContainer, RequestedPod } from './machine/settings.js';
import type { PlacedFolder, VerifyRequest } from './placed-work.js';

/** Where a run takes place. JSON, so that any later step, on any worker of this host, can use it. */
export interface EnvironmentHandle {
  type: EnvironmentType;
  /** The run's private folder in the environment; `workspace` is inside it. */
  root: string;
  workspace: string;
  /** Folder on the host with the output of each start and how it ended (journal.ts). */
  journal: string;
  /** Value of an environment variable of every process that the run starts. */
  mark: string;
  /** Files and folders that the agent must not see; only a sandbox hides them. */
  hidden: string[];
  /** The project's folder, hidden except for the programs in it; null if there is none. */
  project: string | null;
  /**
   * Set if the sandbox has its own network: the ports of this machine's loopback that can be reached from it. Absent if
   * the network is shared.
   */
  network?: { ports: number[] };
  /** The run's own container; absent if the run uses the files and programs of this machine. */
  container?: Container;
  /** The run's own cloud sandbox; absent if it has none. */
  sandbox?: CloudSandbox;
  /** The run's own pod of Kubernetes; absent if it has none. */
  pod?: Pod;
}

/** Where a run takes place. JSON: it is chosen once for each run, and stored in its private state. */
export interface Place {
  type: EnvironmentType;
  /**
   * The reason why the sandbox or container that was asked for is not available; null if it is, or none was asked for.
   */
  lacking: string | null;
  /** `isolated` from the loopback of this machine, as a sandbox or container can be, or `shared` with it. */
  network: 'isolated' | 'shared';
  /** The reason why a sandbox shares the network; null if it does not. */
  lacksNetwork: string | null;
  /** The container's command line and image; absent if there is no container. */
  container?: Pick<Container, 'command' | 'limits' | 'whole' | 'user' | 'layer'> & FoundImage & { name: string };
  /** Where a cloud sandbox comes from; absent if there is none. */
  sandbox?: Pick<CloudSandbox, 'template' | 'timeoutSecs' | 'module'>;
  /** The pod without its name; absent if there is none. */
  pod?: Omit<Pod, 'name' | 'owner'>;
}

/** The scenario's `environment`. */
export type RequestedEnvironment =
  | { type: Exclude<EnvironmentType, 'docker' | 'e2b' | 'kubernetes'> | 'auto' }
  | ({ type: 'docker' } & RequestedContainer)
  | { type: 'e2b'; template: string; timeout_secs: number }
  | ({ type: 'kubernetes' } & RequestedPod);

/** Folders of the project, in which optional packages may be installed; null where there is none. */
export type ProjectFolders = readonly (string | null)[];

/** A line of `doctor`: whether something can be used here, and a sentence about it. */
interface DoctorLine {
  usable: boolean | string[];
  message: string;
}

/** True if a run uses the files and programs of this machine. */
export const sharesHost = ({
  container,
  sandbox,
  pod,
}: {
  container?: unknown;
  sandbox?: unknown;
  pod?: unknown;
}): boolean => container === undefined && sandbox === undefined && pod === undefined;

/** Initial contents of a run's workspace and private folders. */
export interface Contents {
  /**
   * Folder on the host: the fixture's snapshot, whose initial-state/ is copied to the root. Null for an empty
   * workspace.
   */
  fixture: string | null;
  /** Folder on the host: the workspace that an earlier run left, which is copied in place of a fixture. */
  kept?: string;
  /** Contents of files written over the fixture, by path in the workspace. */
  files: Record<string, string>;
  /** The same for contents that are not text. */
  data?: Record<string, Uint8Array>;
  /** Programs that come first on PATH: by name, the path in the environment that each stands for. */
  programs: Record<string, string>;
  /** Executable files beside them: contents by name. They replace programs of the same name. */
  scripts?: Record<string, string>;
  /** Environment variables of a container itself. */
  env?: Record<string, string>;
}

/** The variable by which gates and evaluators find the files of the checks folder. */
export const CHECKS_VARIABLE = 'LLM_TOOL_TEST_CHECKS';

export interface ExecRequest {
  command: Command;
  env: Record<string, string>;
  timeoutSecs: number;
  /** Leave background processes of the command running until the run ends. */
  keepBackground?: boolean;
  /**
   * Set if the command may run what the agent has made. It then runs in the sandbox, if there is one, and can read
   * `shown`.
   */
  inSandbox?: {
    shown: string[];
    /**
     * Folder on the host with the scenario's checks, to which `CHECKS_VARIABLE` leads. It is there only while the
     * command runs, so that no turn of the agent can read it.
     */
    checks?: string;
  };
  /** The step that the command belongs to, so that `kill` can end what is left of that step alone. */
  part?: string;
  signal?: AbortSignal;
}

/** A file that a run is given before a start of its agent. `base64`: its content is base64. */
export interface OwnFile {
  path: string;
  content: string;
  base64?: true;
  executable?: true;
}

export interface StartRequest {
  /** Number of this start, from 1; each has its own files. */
  start: number;
  argv: string[];
  env: Record<string, string>;
  stdin: string;
  /**
   * Written before the start, readable only by the user that the agent runs as. Their paths are below the run's private
   * folder.
   */
  files: OwnFile[];
  /** Paths of further programs and files that what is started uses. A sandbox shows them. */
  shown?: readonly string[];
  deadlineSecs: number;
  idleSecs: number | null;
  /**
   * A program that works beside the agent, outside of its sandbox: its command line. It is started before the agent,
   * and killed when the agent has ended.
   */
  beside?: readonly string[];
  /** Set if the agent reaches its provider, at this address, only through a program on the host. */
  relay?: { address: string };
  /** Set if what the agent leaves running stays when it ends by itself. Only in a container. */
  keepBackground?: true;
  /** Set if what the agent starts must not be able to write into its output. Without perl, it is able to. */
  sealed?: true;
}

export type ProcessState =
  | { state: 'none' | 'starting' | 'running' | 'dead' }
  | { state: 'ended'; exitCode: number; stopped: StopReason | null };

/** The reason why runs could not take place. `field`: the field of the scenario's `environment` that says so. */
export interface EnvironmentProblem {
  why: string;
  isFinal: boolean;
  field?: string;
}

/** The processes to kill: a start of the agent (with the reason), what is left of a step, or everything of the run. */
type Killed = { start: number; reason: Exclude<StopReason, 'deadline' | 'idle'> } | { part: string } | 'everything';

/**
 * A kind of place to run in. It need not share a disk with the host. It stores nothing about a run except in the
 * workspace and the private folders; what a run must remember is in files on the host. To add one, add a file, a
 * line in `all-environments.ts` and one in `kinds.ts`, and what users write to `scenario/environment.ts`.
 */
export interface Environment extends Work {
  /** Finds the place of a run. */
  choose(wanted: RequestedEnvironment, folders: ProjectFolders): Promise<Place>;
  /**
   * Says before anything starts why runs could not take place in it; null if they could. `isFinal`: only a change by
   * the user helps. An environment without this method is chosen on the machine of the run.
   */
  environmentProblem?(
    wanted: RequestedEnvironment,
    folders: ProjectFolders,
    env: NodeJS.ProcessEnv,
  ): Promise<EnvironmentProblem | null>;
  /**
   * Says why an agent in it can forge what is recorded of it; null if it cannot. specs/explanation/security.md says
   * more.
   */
  forgeryRisk(handle: Pick<EnvironmentHandle, 'journal'>): Promise<string | null>;
  /** The checks of `doctor`, by the names of their lines. */
  doctor?: Record<string, (folders: ProjectFolders, env: NodeJS.ProcessEnv) => Promise<DoctorLine>>;
}

/** The part of an environment that works on a run. */
export interface Work {
  /**
   * Creates a fresh workspace and empty private folders. Before it touches what another attempt may use, calls
   * `confirm`, which throws if another attempt has taken over or the run is cancelled.
   */
  prepare(handle: EnvironmentHandle, contents: Contents, confirm: () => Promise<void>): Promise<void>;
  /** Runs a command in the workspace and waits for its end. */
  exec(handle: EnvironmentHandle, request: ExecRequest): Promise<CommandResult>;
  /**
   * Returns the command line by which what works beside the agent starts a program of the run, which can do in the
   * workspace what the agent can: in a sandbox, it has one of its own, so that neither sees the other's processes.
   * `shown`: further paths that it uses.
   */
  apart(
    handle: EnvironmentHandle,
    program: { argv: string[]; env: Record<string, string>; shown: readonly string[] },
  ): Promise<string[]>;
  /** Copies a folder into the run's container, where everybody can execute its files. Absent if there are none. */
  place?(handle: EnvironmentHandle, folder: PlacedFolder): Promise<void>;
  /** Runs a verifier, and returns what it left, or why it cannot be run. Absent if there are no containers. */
  verify?(handle: EnvironmentHandle, request: VerifyRequest): Promise<VerifierFiles | { lacking: string }>;
  /** Starts the agent so that it outlives this process. */
  start(handle: EnvironmentHandle, request: StartRequest): Promise<void>;
  /**
   * Returns the state of a start of the agent; its output so far is then in the journal, or on the way there while it
   * works. With `untilEnd`, waits until the agent has ended or is found dead, and writes the journal in the meantime;
   * rejects when that signal aborts.
   */
  inspect(handle: EnvironmentHandle, start: number, untilEnd?: AbortSignal): Promise<ProcessState>;
  /** Kills processes, and waits until they are gone. */
  kill(handle: EnvironmentHandle, what: Killed): Promise<void>;
  /** Returns what is at a path in the workspace, or in another folder of the run. */
  lookInside(handle: EnvironmentHandle, path: string, folder?: string): Promise<FileStat>;
  /** Calls `use` with a folder on the host that contains the workspace. Returns null if the workspace is gone. */
  view<T>(handle: EnvironmentHandle, use: (folder: string) => Promise<T>): Promise<T | null>;
  /**
   * Kills everything of the run that is still alive, and removes workspace and private folders. The journal is kept.
   */
  dispose(handle: EnvironmentHandle): Promise<void>;
}
