import { existsSync } from 'node:fs';
import { createYielder } from '#lib';
import { createTrace, type TracedRun } from '#model';
import { readEvents } from '#store';
import type { Deps } from '../step/deps.js';

/** Sends the trace of a run that has ended, if a collector is named. Whatever goes wrong, the run has its result. */
export async function sendTrace(
  { traces }: Pick<Deps, 'traces'>,
  run: TracedRun,
  events: string,
): Promise<void> {
  if (traces === undefined) return;
  const trace = createTrace(run, traces.withContent);
  const yieldIfDue = createYielder();
  try {
    for (const event of existsSync(events) ? readEvents(events) : []) {
      await yieldIfDue();
      trace.add(event);
    }
  } catch {
    // events that cannot be read: the steps are known
  }
  traces.send(run.record.run_id, trace.end());
}
