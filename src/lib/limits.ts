/** Time limits of waits, and intervals between attempts. Only tests change them. */
export interface Limits extends RunLimits {
  /** The time that `doctor` waits for a program or a server, ms. */
  doctorMs: number;
  /** The longest time between two attempts to start an engine, ms. */
  engineRetryMs: number;
  /** The time that a command waits for an engine that fails to start, ms. */
  engineFailsMs: number;
  /**
   * The time that commands, and an engine that starts, wait for a server that does not answer, ms. The keeper needs
   * some of it to restart a dead one.
   */
  serverAwayMs: number;
  /** The time that the engine's own server may be silent before it is taken for hung, ms. */
  serverSilentMs: number;
  /** The time that a worker tries to reach its server when it starts, ms. */
  workerConnectMs: number;
  /** The time that `engine stop` waits for the keeper to end, ms. */
  engineStopMs: number;
  /** The time that a worker may show no sign of life before it is taken for stuck, ms. */
  workerSilentMs: number;
  /** The time that an agent has to exit after it has printed its final result, ms. */
  exitMs: number;
  /** The interval at which a worker looks for new credentials of its server, ms. */
  credentialsMs: number;
  /** The interval at which a worker looks for runs that nobody takes care of, ms. */
  watchMs: number;
  /** The longest time between two attempts of a step that waits for a disk or for shared results, ms. */
  waitedOutMs: number;
  /** A sweep continues as new after this many runs, even if the server does not suggest it yet. */
  cellsPerHistory: number;
}

/** The limits that the workflows of runs and sweeps apply. */
export interface RunLimits {
  /** The time that an activity may take within a workflow task, ms. */
  withinTaskMs: number;
  /** The time that a step may send no heartbeat before it is performed again, ms. */
  heartbeatMs: number;
  /** The longest time between two attempts of a step that has failed, ms. */
  retryMs: number;
  /** The time that the report of a cancelled run may wait for a disk, ms. */
  cancelledReportMs: number;
  /** The time that a run waits for its provider at first, and longer than the provider says, ms. */
  providerWaitMs: number;
  /** A run of the agent `loop` continues as new after this many requests, even if the server does not suggest it. */
  requestsPerHistory: number;
}

const RUN_LIMITS: RunLimits = {
  withinTaskMs: 5000,
  heartbeatMs: 60_000,
  retryMs: 5 * 60_000,
  cancelledReportMs: 15_000,
  providerWaitMs: 5000,
  requestsPerHistory: 200,
};

/** The limits that users have. */
export const LIMITS: Limits = {
  ...RUN_LIMITS,
  doctorMs: 3000,
  engineRetryMs: 15_000,
  engineFailsMs: 60_000,
  serverAwayMs: 20_000,
  serverSilentMs: 40_000,
  workerSilentMs: 20_000,
  workerConnectMs: 60_000,
  engineStopMs: 30_000,
  exitMs: 15_000,
  credentialsMs: 10_000,
  watchMs: 10_000,
  waitedOutMs: 30_000,
  cellsPerHistory: Infinity,
};

/**
 * Returns the limits, some of which `LLM_TOOL_TEST_LIMITS` may replace for a test: `{"watchMs": 500}`. Commands, keeper
 * and worker call this once.
 *
 * @throws Error if the variable names a limit that does not exist, or one is not a positive number
 */
export function limitsOf(environment: Readonly<Record<string, string | undefined>>): Limits {
  const changed = JSON.parse(environment['LLM_TOOL_TEST_LIMITS'] || '{}') as Record<string, unknown>;
  for (const [name, value] of Object.entries(changed))
    if (!(name in LIMITS) || typeof value !== 'number' || !(value > 0))
      throw new Error(`LLM_TOOL_TEST_LIMITS: ${name}: ${JSON.stringify(value)}`);
  return { ...LIMITS, ...changed };
}

/** Returns the part of a workflow's input with the limits of its runs: only those that differ from what users have. */
export function changedRunLimits(limits: Limits): { limits?: Partial<RunLimits> } {
  const names = Object.keys(RUN_LIMITS) as (keyof RunLimits)[];
  const changed = names.filter((name) => limits[name] !== RUN_LIMITS[name]);
  return changed.length === 0 ? {} : { limits: Object.fromEntries(changed.map((name) => [name, limits[name]])) };
}

/** The limits of a run whose workflow has this input. */
export const runLimitsIn = ({ limits }: { limits?: Partial<RunLimits> }): RunLimits => ({
  ...RUN_LIMITS,
  ...limits,
});

/** The most cells of a sweep: more is a typing error. */
export const MAX_CELLS = 1_000_000;

/**
 * The most cells that a sweep can run at once. Each takes a slot of the worker while its agent runs, and the steps of
 * other cells need slots too. Temporal allows a workflow 2000 open children.
 */
export const MAX_CONCURRENCY = 500;

/** The longest timer of Node, 2^31 - 1 ms, in seconds. A longer one would fire at once. */
export const LONGEST_TIMER_SECS = 2_147_483;
