import { dirname } from 'node:path';
import { assertRecentRoom } from '#host';
import type { RunContext } from './run-context.js';

/** The private state folder. Everything that a run writes before its report is on its disk. */
export const stateFolderOf = ({ state }: Pick<RunContext, 'state'>): string => dirname(dirname(state));

const RECENT_MS = 100;

/**
 * Checks that the disks of the private state and of the results have room. Called before anything that costs money,
 * because its result must be stored. @throws the file system's error
 */
export const assertRecordable = (context: Pick<RunContext, 'state' | 'files'>): void =>
  [stateFolderOf(context), dirname(context.files.folder)].forEach((folder) =>
    assertRecentRoom(folder, RECENT_MS),
  );
