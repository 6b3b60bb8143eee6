export const WORKFLOWS = { sweep: 'runSweep', run: 'runScenario' } as const;

export const UPDATES = { pause: 'pause', resume: 'resume', cancel: 'cancel', goOn: 'goOn' } as const;

export const SIGNALS = {
  /** To a run that is not of the scheduler, and to a sweep of an older build. */
  goOn: 'goOn',
  providerLimited: 'providerLimited',
  /** A run to its sweep: it waits for its provider and needs no slot. */
  parked: 'parked',
  /** A sweep to its run: the wait is over. */
  wake: 'wake',
  /** A sweep to its run: a new history takes over, which hears of the run's end by `runEnded` only. */
  tellEnd: 'tellEnd',
  /** A run to its sweep: it is about to close. */
  runEnded: 'runEnded',
} as const;

export const QUERIES = { progress: 'progress' } as const;

export const sweepWorkflowId = (sweep: string): string => `sweep/${sweep}`;

export const runWorkflowId = (sweep: string, cell: string, round: number): string =>
  `${sweepWorkflowId(sweep)}/${cell}/r${round}`;
