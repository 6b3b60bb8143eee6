import { join } from 'node:path';
import { collect, sharesHost } from '#environments';
import { readJsonIfThere, type SkippedEntry } from '#host';
import { createBytesRedactor } from '#lib';
import { type MockedCalls, type RunRecord, sumOfCosts } from '#model';
import { runFiles } from '#store';
import { readCalls } from '../mocks/mocked-commands.js';
import { runStepOnce } from '../step/run-step-once.js';
import type { StepResults } from './collect-steps.js';
import type { LoadedRun } from '../run/context.js';

/** The data that the report needs from the place of a run: after this, the place can be torn down. */
export interface KeptWork {
  /** The entries that the copy of the workspace lacks. */
  leftOut: SkippedEntry[];
  /** The calls of mocked commands; null if the scenario mocks none. */
  calls: MockedCalls | null;
}

/** Name of its manifest; not a step that people see. */
const KEPT = 'kept work';

/**
 * Kills what is left of the run and copies its workspace to the results. The report may have to be written again after
 * a place apart from the host was torn down, so what was found there is recorded.
 */
export async function keepWork(context: LoadedRun): Promise<KeptWork> {
  const { environment, handle, judgeAgent, files, secrets } = context;
  if (judgeAgent !== null) await environment.kill(judgeAgent.handle, 'everything');
  const keep = async (): Promise<KeptWork> => {
    const mask = secrets.length === 0 ? null : createBytesRedactor({ secrets });
    const leftOut = await collect(environment, handle, files.fixture, mask);
    return { leftOut, calls: await readCalls(context) };
  };
  return sharesHost(handle) ? keep() : runStepOnce(context, KEPT, keep);
}

/** The parts that a regraded run takes from the run whose work it checked. */
interface OriginOfWork {
  calls: MockedCalls | null;
  fields: Pick<RunRecord, 'regraded_from'> & Partial<Pick<RunRecord, 'duration_secs'>>;
}

/** Reads the record of the run whose work was checked again. */
export async function originOfWork(
  resultsPath: string,
  run: string,
  { judgeCost, asked }: Pick<StepResults, 'judgeCost' | 'asked'>,
): Promise<OriginOfWork> {
  const record = await readJsonIfThere<RunRecord>(runFiles(join(resultsPath, run)).run);
  const paid_usd = sumOfCosts([judgeCost.cost_usd, asked.cost_usd]);
  return {
    calls: record?.mocks ?? null,
    fields: {
      regraded_from: { run, outcome: record?.outcome ?? null, paid_usd },
      ...(record === null ? {} : { duration_secs: record.duration_secs }),
    },
  };
}
