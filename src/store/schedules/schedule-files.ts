import { Firing } from '#decide';
import { inParallel, parseJson, sha256 } from '#lib';
import { ScheduleReference } from '#model';
import { createFolderStore } from '../shared/folder-store.js';
import type { SharedStore } from '../shared/shared-store.js';
import { sharedProjectOf } from '../shared/shared-project.js';

/** Where the small files of schedules are: the results folder, or the place that hosts share. */
export type ObjectStore = Pick<SharedStore, 'get' | 'put' | 'putOnce' | 'list' | 'remove'>;

/** Returns the objects of a results folder; those that all hosts see if it mirrors shared results. */
export const objectsOf = async (resultsPath: string): Promise<ObjectStore> =>
  (await sharedProjectOf(resultsPath))?.store ?? createFolderStore(resultsPath);

/** Names of a schedule's objects, relative to the results. The layout is a contract (specs/reference/results.md). */
export const SCHEDULES = 'schedules';
export const scheduleObject = (schedule: string): string => `${SCHEDULES}/${schedule}.json`;
const folderOf = (schedule: string): string => `${SCHEDULES}/${schedule}`;
const referenceObject = (schedule: string): string => `${folderOf(schedule)}/reference.json`;
const latestObject = (schedule: string): string => `${folderOf(schedule)}/latest.json`;
const exitCodeObject = (schedule: string): string => `${folderOf(schedule)}/exit-code`;
export const junitObject = (schedule: string): string => `${folderOf(schedule)}/junit.xml`;
const firingsFolder = (schedule: string): string => `${folderOf(schedule)}/firings`;
const firingObject = (schedule: string, firing: string): string => `${firingsFolder(schedule)}/${firing}.json`;
/** Orders of `schedule trigger`. */
export const triggersFolder = (schedule: string): string => `${folderOf(schedule)}/triggers`;

/** Settings that were replaced or deleted: `<ms since the epoch>-<hash>.json`. */
const replacedFolder = (schedule: string): string => `${folderOf(schedule)}/replaced`;
/** The sweep of a firing may be paused for days, and only then be reported with the settings it began with. */
const KEEP_REPLACED_MS = 30 * 24 * 3_600_000;

/** Ends the name of the object by which a firing claims an order. */
export const USED = '.used';

/** Older firings are removed, so that a schedule which fires every minute does not fill the disk. */
const MAX_FIRINGS = 1000;
const READ_AT_ONCE = 16;

const withoutJson = (name: string): string[] => (name.endsWith('.json') ? [name.slice(0, -5)] : []);

/** Returns the names of all schedules, sorted. */
export const scheduleNames = async (objects: ObjectStore): Promise<string[]> =>
  (await objects.list(SCHEDULES)).flatMap(withoutJson);

/** Returns the text of a schedule's settings and its hash; null if there is no such schedule. */
export async function scheduleText(
  objects: ObjectStore,
  schedule: string,
): Promise<{ text: string; hash: string } | null> {
  const text = (await objects.get(scheduleObject(schedule)))?.toString() ?? null;
  return text === null ? null : { text, hash: sha256(text) };
}

/** Stores the settings of a schedule. Those before them are kept for the firings that began with them. */
export async function storeSettings(objects: ObjectStore, schedule: string, text: string): Promise<void> {
  await keepReplaced(objects, schedule);
  await objects.put(scheduleObject(schedule), text);
}

/** Deletes a schedule. Its settings are kept for the firings that began with them. */
export async function removeSettings(objects: ObjectStore, schedule: string): Promise<void> {
  await keepReplaced(objects, schedule);
  await objects.remove(scheduleObject(schedule));
}

async function keepReplaced(objects: ObjectStore, schedule: string): Promise<void> {
  const folder = replacedFolder(schedule);
  for (const name of await objects.list(folder))
    if (Date.now() - Number(name.split('-')[0]) > KEEP_REPLACED_MS) await objects.remove(`${folder}/${name}`);
  const found = await scheduleText(objects, schedule);
  if (found !== null) await objects.putOnce(`${folder}/${Date.now()}-${found.hash}.json`, found.text);
}

/** Returns the replaced or deleted settings with this hash; null if there are none. */
export async function replacedText(
  objects: ObjectStore,
  schedule: string,
  isWanted: (hash: string) => boolean,
): ReturnType<typeof scheduleText> {
  const folder = replacedFolder(schedule);
  for (const name of await objects.list(folder)) {
    if (!isWanted(name.replace(/^\d+-|\.json$/g, ''))) continue;
    const text = (await objects.get(`${folder}/${name}`))?.toString() ?? '';
    const hash = sha256(text);
    if (isWanted(hash)) return { text, hash };
  }
  return null;
}

/**
 * Records the beginning of a firing. Returns the record that counts: an earlier one if there is one.
 *
 * @throws Error if that cannot be read, because what it claims is unknown
 */
export async function beginFiring(objects: ObjectStore, firing: Firing): Promise<Firing> {
  const name = firingObject(firing.schedule, firing.firing);
  if (await objects.putOnce(name, textOf(firing))) return firing;
  const earlier = await readFiring(objects, firing.schedule, firing.firing);
  if (earlier === null) throw new Error(`${name} cannot be read; delete it if no sweep of it is running`);
  return earlier;
}

/** Replaces the record of a firing. The newest firing is also in latest.json, with its exit code in a file. */
export async function writeFiring(objects: ObjectStore, firing: Firing): Promise<void> {
  const { schedule } = firing;
  await objects.put(firingObject(schedule, firing.firing), textOf(firing));
  const all = await firingNames(objects, schedule);
  const isNewer = await Promise.all(
    all
      .filter((id) => id > firing.firing)
      .map(async (id) => (await readFiring(objects, schedule, id))?.exit_code != null),
  );
  if (firing.exit_code !== null && !isNewer.includes(true)) {
    await objects.put(exitCodeObject(schedule), `${firing.exit_code}\n`);
    await objects.put(latestObject(schedule), textOf(firing));
  }
  for (const old of all.slice(0, Math.max(0, all.length - MAX_FIRINGS)))
    await objects.remove(firingObject(schedule, old));
}

/** Removes orders that a firing has used up. */
export async function removeUsedTriggers(objects: ObjectStore, schedule: string): Promise<void> {
  for (const used of await objects.list(triggersFolder(schedule))) {
    if (!used.endsWith(USED)) continue;
    // In this order: an order without its claim could be used again.
    await objects.remove(`${triggersFolder(schedule)}/${used.slice(0, -USED.length)}`);
    await objects.remove(`${triggersFolder(schedule)}/${used}`);
  }
}

/** Reads the reference night of a schedule; null: none has been complete yet. */
export async function readReference(
  objects: ObjectStore,
  schedule: string,
): Promise<ScheduleReference | 'damaged' | null> {
  const text = (await objects.get(referenceObject(schedule)))?.toString();
  if (text === undefined) return null;
  return ScheduleReference.safeParse(parseJson(text)).data ?? 'damaged';
}

/** Chooses a reference. One that was found, not accepted, replaces none. */
export async function writeReference(objects: ObjectStore, reference: ScheduleReference): Promise<void> {
  const name = referenceObject(reference.schedule);
  const text = textOf(reference);
  if (reference.accepted_at === null) await objects.putOnce(name, text);
  else await objects.put(name, text);
}

const textOf = (firing: Firing | ScheduleReference): string => `${JSON.stringify(firing, null, 2)}\n`;

/** The ids of a schedule's firings, oldest first. */
const firingNames = async (objects: ObjectStore, schedule: string): Promise<string[]> =>
  (await objects.list(firingsFolder(schedule))).flatMap(withoutJson);

/** Reads the record of a firing; null if there is none, or if it cannot be read. */
export const readFiring = (objects: ObjectStore, schedule: string, firing: string): Promise<Firing | null> =>
  readRecord(objects, firingObject(schedule, firing));

/** Reads the newest firing that has ended; null if there is none. */
export const latestFiring = (objects: ObjectStore, schedule: string): Promise<Firing | null> =>
  readRecord(objects, latestObject(schedule));

async function readRecord(objects: ObjectStore, name: string): Promise<Firing | null> {
  const text = (await objects.get(name))?.toString() ?? '';
  try {
    return Firing.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/** Returns the firings from one on, oldest first, without those that cannot be read. */
export async function firingsFrom(objects: ObjectStore, schedule: string, from: string): Promise<Firing[]> {
  const ids = (await firingNames(objects, schedule)).filter((id) => id >= from);
  const all = await inParallel(READ_AT_ONCE, ids, (id) => readFiring(objects, schedule, id));
  return all.filter((firing) => firing !== null);
}
