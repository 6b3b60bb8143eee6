import { dirname } from 'node:path';
import { assertRecentRoom } from '../../platform/fs/disk-room.js';
import type { RunContext } from './run-context.js';

/** The private state, on whose disk everything is that a run writes before its report. */
export const stateFolderOf = ({ state }: Pick<RunContext, 'state'>): string => dirname(dirname(state));

const RECENT_MS = 100;

/** Called before what costs money: what comes of it must have room. @throws the file system's error */
export const assertRecordable = (context: Pick<RunContext, 'state' | 'files'>): void =>
  [stateFolderOf(context), dirname(context.files.folder)].forEach((folder) =>
    assertRecentRoom(folder, RECENT_MS),
  );
