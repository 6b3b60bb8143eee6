import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isAlive, ownIdentity, type ProcessIdentity } from './process-identity.js';
import { readJsonIfThere } from './read-file.js';
import { writeFileAtomic } from './write-file.js';

/** An activity that a worker is performing: enough for the next worker to give it up in a dead worker's name. */
export interface Inflight {
  owner: ProcessIdentity;
  taskToken: string;
  workflowId: string;
  runId: string;
}

const inflightFolder = (stateFolder: string): string => join(stateFolder, 'inflight');

/**
 * Notes an activity for as long as it is performed. Without it a dead worker's activity is noticed by its heartbeat
 * timeout only, after half a minute in which the agent's output is not followed.
 */
export async function noteInflight<T>(
  stateFolder: string,
  activity: Omit<Inflight, 'owner'>,
  perform: () => Promise<T>,
): Promise<T> {
  const folder = inflightFolder(stateFolder);
  const file = join(folder, randomBytes(8).toString('hex'));
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFileAtomic(
    file,
    JSON.stringify({ ...activity, owner: ownIdentity() } satisfies Inflight),
    0o600,
  );
  try {
    return await perform();
  } finally {
    await rm(file, { force: true });
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
    if (name.endsWith('.tmp')) continue;
    const activity = await readJsonIfThere<Inflight>(file);
    if (activity === null || isAlive(activity.owner)) continue;
    await giveUp(activity);
    await rm(file, { force: true });
  }
}
