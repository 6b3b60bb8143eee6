export const WORKFLOWS = { sweep: 'runSweep', run: 'runScenario' } as const;

export const UPDATES = { pause: 'pause', resume: 'resume', cancel: 'cancel', goOn: 'goOn' } as const;

export const SIGNALS = {
  /**
   * From a sweep of an older build to its runs: stop waiting for the provider. Runs of the scheduler get `wake`
   * instead.
   */
  goOn: 'goOn',
  /** From a run to its sweep of an older build: an account has reached a limit. */
  providerLimited: 'providerLimited',
  /** From a run to its sweep: it waits for its provider and needs no slot. */
  parked: 'parked',
  /** From a sweep to its run: the wait is over. */
  wake: 'wake',
  /**
   * From a sweep to its run: a new history of the sweep takes over, which learns of the run's end only by `runEnded`.
   */
  tellEnd: 'tellEnd',
  /** From a run to its sweep: it is about to close. */
  runEnded: 'runEnded',
} as const;

export const QUERIES = { progress: 'progress' } as const;

export const sweepWorkflowId = (sweep: string): string => `sweep/${sweep}`;

/** The task queue on which hosts with a free slot take runs. */
export const placeQueueOf = (taskQueue: string): string => `${taskQueue}.place`;

/** The task queue that only this host polls. */
export const hostQueueOf = (taskQueue: string, host: string): string => `${taskQueue}.host.${host}`;

/** `nth`: number of the run among those of its cell in the round, which is above 1 after its host was lost. */
export const runWorkflowId = (sweep: string, cell: string, round: number, nth = 1): string =>
  `${sweepWorkflowId(sweep)}/${cell}/r${round}${nth === 1 ? '' : `.${nth}`}`;

/** Returns the round and the number in the id of a run's workflow; null if it is not such an id. */
export function numbersOfRun(workflowId: string): { round: number; nth: number } | null {
  const [, round, nth = '1'] = /\/r(\d+)(?:\.(\d+))?$/.exec(workflowId) ?? [];
  return round === undefined ? null : { round: Number(round), nth: Number(nth) };
}
