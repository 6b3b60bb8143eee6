import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isAlive, ownIdentity, type ProcessIdentity } from './process-identity.js';
import { parseJson } from '../lib/json.js';
import { readTextIfThere } from './read-file.js';
import { TEMPORARY, writeNote } from './write-file.js';

/** An activity that a worker is performing: enough for the next worker to give it up in a dead worker's name. */
export interface Inflight {
  owner: ProcessIdentity;
  taskToken: string;
  workflowId: string;
  runId: string;
}

const inflightFolder = (stateFolder: string): string => join(stateFolder, 'inflight');

/** Until the server knows of an activity's end: it is told by another thread, which may be killed before. */
const TELLING_MS = 1000;

/**
 * Notes an activity for as long as it is performed, and until the server knows its end. Without it a dead worker's activity
 * is noticed by its heartbeat timeout only, after half a minute in which the agent's output is not followed.
 */
export async function noteInflight<T>(
  stateFolder: string,
  activity: Omit<Inflight, 'owner'>,
  perform: () => Promise<T>,
): Promise<T> {
  const file = join(inflightFolder(stateFolder), randomBytes(8).toString('hex'));
  writeNote(file, JSON.stringify({ ...activity, owner: ownIdentity() } satisfies Inflight));
  try {
    return await perform();
  } finally {
    setTimeout(() => rmSync(file, { force: true }), TELLING_MS);
  }
}

/** Hands each activity of a dead worker to `giveUp`, once. */
export async function forDeadWorkers(
  stateFolder: string,
  giveUp: (activity: Inflight) => Promise<void>,
): Promise<void> {
  const folder = inflightFolder(stateFolder);
  for (const name of await readdir(folder).catch(() => [])) {
    const file = join(folder, name);
    if (TEMPORARY.test(name)) continue;
    const text = await readTextIfThere(file);
    if (text === null) continue;
    const activity = parseJson(text) as Inflight | undefined;
    if (activity !== undefined && isAlive(activity.owner)) continue;
    // What is no JSON was cut short by a loss of power: the server notices that activity by itself.
    if (activity !== undefined) await giveUp(activity);
    await rm(file, { force: true });
  }
}
