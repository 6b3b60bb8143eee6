import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readJsonIfThere, writeFileAtomic } from '#host';
import type { EnvironmentHandle } from '../environment.js';

/** The record of a run's cloud sandbox or pod in its private state. */
export interface MachineRecord {
  id: string;
  /** PATH in it; absent until it was asked for. */
  path?: string;
  /** Id of the image that its node has used; absent if it has none. */
  image?: string;
}

const recordFile = ({ journal }: Pick<EnvironmentHandle, 'journal'>): string => join(dirname(journal), 'machine.json');

/** Returns the record of a run's machine; null if none was made, or if the file was left empty by a power failure. */
export const readRecord = (handle: Pick<EnvironmentHandle, 'journal'>): Promise<MachineRecord | null> =>
  readJsonIfThere<MachineRecord>(recordFile(handle)).catch(() => null);

export const writeRecord = (handle: EnvironmentHandle, record: MachineRecord): Promise<void> =>
  writeFileAtomic(recordFile(handle), JSON.stringify(record), 0o600);

export const removeRecord = (handle: EnvironmentHandle): Promise<void> => rm(recordFile(handle), { force: true });
