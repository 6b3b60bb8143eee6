import type { Agent, ModelAccess } from '#agents';
import type { Environment, EnvironmentHandle, Place } from '#environments';
import type { ModelProvider } from '#host';
import type { RunRef, TurnRef } from '#protocol';
import type { EffectiveScenario, Plan } from '#scenario';
import type { ProviderLimits, RunFiles } from '#store';
import type { DatabasesOfRun } from './databases-of-run.js';
import type { AgentInPlace, RunPaths } from './run-paths.js';

/** The run that a step belongs to, what it tests, and where its steps leave their results and fences. */
export interface RunIdentity extends EffectiveScenario {
  run: RunRef;
  /** The turn that the step performs; the first one for steps that perform none. */
  turn: TurnRef;
  plan: Plan;
  planHash: string;
  scenarioFile: string;
  scenarioHash: string;
  /** Folder on the host in which the run records what it has done. */
  state: string;
  /** Key that signs the manifests of steps. */
  originKey: Buffer;
  /** Steps whose results are kept here and not in `state`: to repeat them costs nothing. */
  unsaved?: Map<string, object>;
  /** Set if the work of an earlier run is checked again. */
  regrade: {
    /** Id of that run; null if there is none. */
    run: string | null;
    /** True if the cell is run when that is not possible. */
    orRun: boolean;
  } | null;
}

/** A place of a run, and the environment that knows it. */
export interface PlacedRun {
  environment: Environment;
  handle: EnvironmentHandle;
}

/** Where the run takes place: its environment, folders and files. */
export interface RunPlaces extends RunPaths, PlacedRun {
  place: Place;
  files: RunFiles;
  /** Snapshot of the checks folder in the store; null if the scenario has none. */
  checksFolder: string | null;
  /** Path of the target on this machine; null if it is looked up on PATH or in the workspace. */
  targetPath: string | null;
  /**
   * The agent that is asked in place of a model, in a place of its own; null if none is, or if this worker does not
   * know it.
   */
  judgeAgent: AgentInPlace | null;
}

/** The secrets of a run, and what masks them. */
export interface RunSecrets {
  /** The agent, with its variables filled in. */
  agent: Agent;
  targetEnv: Record<string, string>;
  /** The run's databases on servers. */
  onServers: DatabasesOfRun;
  /** Values of the sweep's variables, by name. Each is meant for a certain recipient; never pass on all of them. */
  values: Record<string, string>;
  secrets: string[];
  redact: (text: string) => string;
}

/** The models that the agent and the run itself use: keys, accounts and their limits. */
export interface RunAccess {
  /** The agent's settings in the config; null for a built-in agent without any. */
  agentSettings: Plan['agents'][string] | null;
  /** Key and address of the provider of the agent's model; null if the agent is given none. */
  access: ModelAccess | null;
  /** The account whose limits apply to the agent; null if unknown. */
  account: string | null;
  /** The same for the model that the run asks. */
  judgeAccount: string | null;
  /** The known limits of accounts; null if nothing is shared. */
  limits: ProviderLimits | null;
  /**
   * Provider of the model that the run asks; null if none is asked by API, or if this worker does not know the
   * provider.
   */
  provider: ModelProvider | null;
  /** Notes why the run waits for a model that it asks, for those who follow it; null: it no longer waits. */
  noteReason: (reason: string | null) => void;
}

/** The part that every step needs: a step publishes its result, in a place of the run, without secrets. */
export type LoadedRun = RunIdentity & RunPlaces & RunSecrets;
