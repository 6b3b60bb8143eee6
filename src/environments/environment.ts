import type { LeftOut, Mask } from '../platform/copy-loosely.js';
import type { CommandResult } from '../lib/command-result.js';
import type { Containment, StopReason } from '../lib/supervision.js';
import type { FileLook } from '../gates/gate.js';
import type { WorkspaceChanges } from '../results/workspace-changes.js';

/** Where a run lives. JSON, so that any later step, on any worker of the host, can use it. */
export interface EnvironmentHandle {
  type: 'local' | 'bubblewrap';
  /** The run's private folder; `workspace` is inside it. */
  root: string;
  workspace: string;
  /** In the environment of everything that the run starts. */
  mark: string;
  /** Files and folders that the agent is not to see; only a sandbox hides them. */
  hidden: string[];
  /** The project's folder, hidden but for the programs in it; null where there is none. */
  project: string | null;
  /** A sandbox's own network, into which these ports of this machine's loopback are let; absent where it is shared. */
  network?: { ports: number[] };
}

/** One start of the agent. */
export interface ProcessHandle {
  folder: string;
}

export interface ExecRequest {
  command: string;
  env: Record<string, string>;
  timeoutSecs: number;
  /** Leave what the command put into the background running until the run ends. */
  keepBackground?: boolean;
  /** It may run what the agent has made: where there is a sandbox, it is run in that, with these places to read. */
  inSandbox?: { shown: string[] };
  /** What to run in place of `sh -c command`. */
  argv?: string[];
  /** Which step it belongs to, so that `quell` can end what is left of that alone. */
  part?: string;
  signal?: AbortSignal;
}

interface StartRequest {
  /** Which start of the agent this is, from 1: each has files of its own. */
  start: number;
  argv: string[];
  env: Record<string, string>;
  stdin: string;
  deadlineSecs: number;
  idleSecs: number | null;
}

export type ProcessState =
  | { state: 'none' | 'starting' | 'running' | 'dead' }
  | { state: 'ended'; exitCode: number; stopped: StopReason | null };

/** A place to run in. Adding one is a file and a line in `index.ts`. */
export interface Environment {
  /**
   * Makes a fresh workspace: the fixture's snapshot, its initial-state/ at the root, then `files`. Asks `confirm`, which
   * throws when another has taken over, before it touches what another may use.
   */
  prepare(
    handle: EnvironmentHandle,
    fixture: string,
    files: Record<string, string>,
    confirm: () => Promise<void>,
  ): Promise<void>;
  exec(handle: EnvironmentHandle, request: ExecRequest): Promise<CommandResult>;
  /** How what an agent leaves behind is found and ended: by a PID namespace, or by session and mark. */
  containment(): Promise<Containment>;
  /** Starts the agent so that it outlives this process. */
  start(handle: EnvironmentHandle, request: StartRequest): Promise<ProcessHandle>;
  process(handle: EnvironmentHandle, start: number): ProcessHandle;
  inspect(process: ProcessHandle): Promise<ProcessState>;
  /** Those starts of the agent that are alive. */
  living(handle: EnvironmentHandle): Promise<ProcessHandle[]>;
  /** Resolves when the agent has ended, or is found dead. */
  attach(process: ProcessHandle, signal: AbortSignal): Promise<ProcessState>;
  /** Ends the agent and all that it started. */
  kill(process: ProcessHandle, reason: 'cancel' | 'cost'): Promise<ProcessState>;
  /** Ends whatever of the run, or of one part of it, is still alive. */
  quell(handle: EnvironmentHandle, part?: string): Promise<void>;
  output(process: ProcessHandle): { stdout: string; stderr: string };
  look(handle: EnvironmentHandle, path: string): Promise<FileLook>;
  /** What is not as `prepare` was told to make it; null when the workspace is gone. */
  changes(
    handle: EnvironmentHandle,
    fixture: string,
    files: Record<string, string>,
  ): Promise<WorkspaceChanges | null>;
  /**
   * Ends whatever of the run is still alive and puts the workspace at `to`, names and contents through `mask`. Says what
   * was left out. Can be repeated.
   */
  collect(handle: EnvironmentHandle, to: string, mask: Mask | null): Promise<LeftOut[]>;
  /** Ends whatever of the run is still alive and removes the workspace; the agent's raw output stays. */
  dispose(handle: EnvironmentHandle): Promise<void>;
}
