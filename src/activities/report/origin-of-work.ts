import { join } from 'node:path';
import { readJsonIfThere } from '#host';
import { type MockedCalls, type RunRecord, sumOfCosts } from '#model';
import { runFiles } from '#store';
import type { Found } from './collect-steps.js';

/** What a regraded run takes from the run whose work it checked. */
interface OriginOfWork {
  calls: MockedCalls | null;
  fields: Pick<RunRecord, 'regraded_from'> & Partial<Pick<RunRecord, 'duration_secs'>>;
}

/** Reads the record of the run whose work was checked again. */
export async function originOfWork(
  resultsPath: string,
  run: string,
  { judgeCost, asked }: Pick<Found, 'judgeCost' | 'asked'>,
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
