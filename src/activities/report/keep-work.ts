import { collect, sharesHost } from '#environments';
import type { SkippedEntry } from '#host';
import { createBytesRedactor } from '#lib';
import type { MockedCalls } from '#model';
import { readCalls } from '../mocks/read-calls.js';
import type { RunContext } from '../step/run-context.js';
import { runStepOnce } from '../step/run-step-once.js';

/** What the report needs from the place of a run: after this, the place can be torn down. */
interface KeptWork {
  /** What the copy of the workspace lacks. */
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
export async function keepWork(context: RunContext): Promise<KeptWork> {
  const { environment, handle, judgeAgent, files, secrets } = context;
  if (judgeAgent !== null) await environment.kill(judgeAgent.handle, 'everything');
  const keep = async (): Promise<KeptWork> => {
    const mask = secrets.length === 0 ? null : createBytesRedactor({ secrets });
    const leftOut = await collect(environment, handle, files.fixture, mask);
    return { leftOut, calls: await readCalls(context) };
  };
  return sharesHost(handle) ? keep() : runStepOnce(context, KEPT, keep);
}
