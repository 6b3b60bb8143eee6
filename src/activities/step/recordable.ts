import { dirname } from 'node:path';
import { assertRoom } from '../../platform/disk-room.js';
import type { RunContext } from './run-context.js';

/** The private state, on whose disk everything is that a run writes before its report. */
export const stateFolderOf = ({ handle }: Pick<RunContext, 'handle'>): string =>
  dirname(dirname(handle.root));

/** Called before what costs money: what comes of it must have room. @throws the file system's error */
export const assertRecordable = (context: Pick<RunContext, 'handle' | 'files'>): void =>
  [stateFolderOf(context), dirname(context.files.folder)].forEach((folder) => assertRoom(folder));
