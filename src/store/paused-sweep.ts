import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { pausedFile } from './results-folder.js';
import { noteSharedPause } from './shared/rounds.js';
import { sharedProjectOf } from './shared/shared-project.js';

/** Whether a sweep that has not ended is paused. */
export const isPaused = (results: string, sweep: string): boolean => existsSync(pausedFile(results, sweep));

/**
 * Records whether a sweep is paused, for commands that only read the files. Never throws: a full disk must not keep a
 * sweep from being paused or resumed.
 */
export async function notePaused(results: string, sweep: string, paused: boolean): Promise<void> {
  const file = pausedFile(results, sweep);
  await (paused ? writeFile(file, '') : rm(file, { force: true })).catch(() => undefined);
  const project = await sharedProjectOf(results).catch(() => null);
  if (project !== null) await noteSharedPause(project, sweep, paused).catch(() => undefined);
}
