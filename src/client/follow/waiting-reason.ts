import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { openRunsFolder, readEngineState } from '#engine';
import { readText, MIN_FREE_BYTES, diskError } from '#host';
import { diskRemedy, parseJson } from '#lib';
import { Cell } from '#model';

/** A run that was started on this machine and is not over. */
export interface OpenRun {
  run: string;
  sweep: string;
  cell: Cell;
  workflowId: string;
  /** The provider that it waits for, and why. Null if it does not wait. */
  reason: string | null;
  /** True if it waits for the provider of its agent, and the sweep knows that too. */
  isParked: boolean;
  isOpen: () => boolean;
}

const Note = z.object({
  run: z.object({ run: z.string(), sweep: z.string(), cell: Cell, workflowId: z.string() }),
  reason: z.string().nullable().default(null),
  waiting: z.unknown().optional(),
});

/** Returns the runs that are not over, whether or not a worker performs them now. */
export function openRunsIn(stateFolder: string): OpenRun[] {
  const folder = openRunsFolder(stateFolder);
  return (existsSync(folder) ? readdirSync(folder) : []).flatMap((name) => {
    const file = join(folder, name);
    const note = Note.safeParse(parseJson(textOf(file))).data;
    if (note === undefined) return [];
    const { run, reason, waiting } = note;
    return [{ ...run, reason, isParked: waiting !== undefined, isOpen: () => existsSync(file) }];
  });
}

/** The runs of a sweep that wait for a provider while a step of theirs goes on, such as the judge. */
export const waitingRuns = (stateFolder: string, sweep: string): OpenRun[] =>
  openRunsIn(stateFolder).filter((run) => run.sweep === sweep && run.reason !== null && !run.isParked);

/** Says what runs wait for: "waiting for openai: HTTP 503 (and 2 other runs)". Null if none does. */
export function reasonText(runs: readonly Pick<OpenRun, 'reason'>[]): string | null {
  const [first] = runs;
  if (first?.reason == null) return null;
  const others = runs.length - 1;
  return `waiting for ${first.reason}${others === 0 ? '' : ` (and ${others} other ${others === 1 ? 'run' : 'runs'})`}`;
}

/** The note is removed when its run is over, perhaps just now. */
function textOf(file: string): string {
  try {
    return readText(file);
  } catch {
    return '';
  }
}

const LOOK_MS = 2000;

/**
 * Returns a function that says why the work of a sweep is blocked, for reasons that the server does not know: a full
 * disk, an engine that keeps failing, or a provider that does not serve a judge. The function returns null if the work
 * is not blocked, and looks at most every 2 s.
 */
export function waitingFor(resultsPath: string, stateFolder: string, sweep: string): () => Promise<string | null> {
  let lookedAt = 0;
  let last: { why: string; since: string } | null = null;
  let providerReason: string | null = null;
  return async () => {
    if (Date.now() - lookedAt >= LOOK_MS) {
      lookedAt = Date.now();
      const why = blockedDisk(resultsPath) ?? blockedDisk(stateFolder) ?? (await failingEngine(stateFolder));
      if (why === null) last = null;
      else last = { why, since: last?.since ?? new Date().toISOString().slice(0, 19) };
      providerReason = reasonText(waitingRuns(stateFolder, sweep));
    }
    return last === null ? providerReason : `waiting since ${last.since}Z: ${last.why}; work will continue by itself`;
  };
}

function blockedDisk(folder: string): string | null {
  const error = diskError(folder, MIN_FREE_BYTES);
  const remedy = error === null ? null : diskRemedy(error, () => true);
  return remedy === null ? null : `${folder}: ${remedy}`;
}

const failingEngine = async (stateFolder: string): Promise<string | null> =>
  (await readEngineState(stateFolder).catch(() => null))?.failing?.message ?? null;
