import { isJsonObject, parseJson, StoreAway } from '#lib';
import { PROJECT } from './names.js';
import type { SharedStore } from './shared-store.js';

/** Codes of file servers that cannot be reached, and of folders that were unmounted or replaced meanwhile. */
const AWAY = new Set([
  ...['ENOENT', 'EACCES', 'EPERM', 'EIO', 'ESTALE', 'ENODEV', 'ENXIO', 'ENOTCONN', 'ETIMEDOUT'],
  ...['EHOSTDOWN', 'EHOSTUNREACH', 'ENETDOWN', 'ENETUNREACH', 'ECONNREFUSED'],
]);

/** True if an error means that the folder cannot be used, as opposed to a local one that is copied from or to it. */
function isOfFolder(error: unknown, folder: string): error is Error {
  if (!(error instanceof Error)) return false;
  const { code = '', path, dest } = error as NodeJS.ErrnoException & { dest?: string };
  const isInside = (place: string): boolean => `${place}/`.startsWith(`${folder}/`);
  return AWAY.has(code) && (path === undefined || [path, dest ?? path].some(isInside));
}

/**
 * Returns the store of a project that exists. A folder that is not mounted looks like an empty one: hosts would seem to
 * show no signs of life, and results would be written where nobody finds them. So what the folder lacks is believed,
 * and something is written to it, only while it contains the project's file. @throws StoreAway
 */
export function existingStore(place: SharedStore, id: string): SharedStore {
  const store = reachable(place);
  async function check(): Promise<void> {
    const text = await store.get(PROJECT);
    const project = text === null ? null : parseJson(text.toString());
    if (isJsonObject(project) && project['id'] === id) return;
    throw new StoreAway(
      text === null
        ? `${store.location} has no ${PROJECT}: is the folder mounted?`
        : `${store.location} contains the results of another project`,
    );
  }
  const checked = async <T>(found: T, isMissing: boolean): Promise<T> => {
    if (isMissing) await check();
    return found;
  };
  /** Checked again afterwards, because the folder may go away meanwhile. */
  async function written<T>(write: () => Promise<T>): Promise<T> {
    await check();
    const result = await write();
    await check();
    return result;
  }
  return {
    location: store.location,
    get: async (name) => {
      const data = await store.get(name);
      return checked(data, data === null);
    },
    writtenAt: async (name) => {
      const at = await store.writtenAt(name);
      return checked(at, at === null);
    },
    list: async (folder) => {
      const names = await store.list(folder);
      return checked(names, names.length === 0);
    },
    getFolder: async (name, folder) => {
      const isStored = await store.getFolder(name, folder);
      return checked(isStored, !isStored);
    },
    getFileOf: async (name, path) => {
      const data = await store.getFileOf(name, path);
      return checked(data, data === null);
    },
    put: (name, data) => written(() => store.put(name, data)),
    putOnce: (name, data) => written(() => store.putOnce(name, data)),
    putFolder: (name, folder) => written(() => store.putFolder(name, folder)),
    remove: (name) => written(() => store.remove(name)),
  };
}

/** Returns the store with errors of its folder as such. */
function reachable(store: SharedStore): SharedStore {
  const { location } = store;
  const reach = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      throw isOfFolder(error, location) ? new StoreAway(`cannot reach ${location}: ${error.message}`) : error;
    }
  };
  return {
    location,
    get: (name) => reach(store.get(name)),
    writtenAt: (name) => reach(store.writtenAt(name)),
    list: (folder) => reach(store.list(folder)),
    getFolder: (name, folder) => reach(store.getFolder(name, folder)),
    getFileOf: (name, path) => reach(store.getFileOf(name, path)),
    put: (name, data) => reach(store.put(name, data)),
    putOnce: (name, data) => reach(store.putOnce(name, data)),
    putFolder: (name, folder) => reach(store.putFolder(name, folder)),
    remove: (name) => reach(store.remove(name)),
  };
}
