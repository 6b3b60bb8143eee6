import { defineSearchAttributeKey } from '@temporalio/common';
import { SEARCH_ATTRIBUTES } from '#lib/pure';

export const WORKFLOWS = { sweep: 'runSweep', run: 'runScenario', scheduled: 'runScheduled' } as const;

/**
 * Name of the activity that checks a gate within a workflow task. The Web UI's timeline shows only the names of such
 * activities, not their summaries. Scenarios share these names, because each name becomes a label in metrics.
 */
export const gateActivity = (index: number, type: string): string => `gate ${index + 1} ${type}`;
export const isGateActivity = (name: string): boolean => /^gate \d+ \w+$/.test(name);

export const UPDATES = { pause: 'pause', resume: 'resume', cancel: 'cancel', goOn: 'goOn' } as const;

export const SIGNALS = {
  /** From a run to its sweep: it waits for its provider and needs no slot. */
  parked: 'parked',
  /** From a sweep to its run: the wait is over. */
  wake: 'wake',
  /**
   * From a sweep to its run: a new history of the sweep takes over, which learns of the run's end only by `runEnded`.
   */
  tellEnd: 'tellEnd',
  /** From a sweep that was reset to a run that it takes over: if the run waits, it sends `parked` again. */
  tellParked: 'tellParked',
  /** From a run to its sweep: it is about to close. */
  runEnded: 'runEnded',
} as const;

/** The search attribute by which the runs of a sweep are found. */
export const SWEEP_ID = defineSearchAttributeKey('SweepId', SEARCH_ATTRIBUTES.SweepId);

export const QUERIES = { progress: 'progress' } as const;

export const sweepWorkflowId = (sweep: string): string => `sweep/${sweep}`;

/** The task queue on which hosts with a free slot take runs. */
export const placeQueueOf = (taskQueue: string): string => `${taskQueue}.place`;

/** The task queue that only this host polls. */
export const hostQueueOf = (taskQueue: string, host: string): string => `${taskQueue}.host.${host}`;

/** Distinguishes the runs of a cell. */
export interface RunNumbers {
  round: number;
  /** See `PageCell.redo`. */
  redo?: number;
  /** From 1; the next one runs the cell again because its host was lost. */
  incarnation: number;
}

export const runWorkflowId = (
  sweep: string,
  cell: string,
  round: number,
  { redo = 0, incarnation = 1 }: Partial<RunNumbers> = {},
): string =>
  `${sweepWorkflowId(sweep)}/${cell}/r${round}${redo === 0 ? '' : `.redo${redo}`}${incarnation === 1 ? '' : `.i${incarnation}`}`;

const RUN_NUMBERS = /\/r(\d+)(?:\.redo(\d+))?(?:\.i(\d+))?$/;

/** Returns the numbers of a run by its workflow's id. */
export function parseRunWorkflowId(id: string): RunNumbers {
  const [, round = '1', redo, incarnation = '1'] = RUN_NUMBERS.exec(id) ?? [];
  return {
    round: Number(round),
    ...(redo === undefined ? {} : { redo: Number(redo) }),
    incarnation: Number(incarnation),
  };
}

/** Returns the id of a run's cell by its workflow's id. */
export const cellOfRun = (sweep: string, workflowId: string): string =>
  workflowId.slice(`${sweepWorkflowId(sweep)}/`.length).replace(RUN_NUMBERS, '');
