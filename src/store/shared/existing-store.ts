import { parseJson, isJsonObject } from '../../lib/json.js';
import { PROJECT } from './names.js';
import type { SharedStore } from './shared-store.js';

/**
 * Returns the store of a project that exists. A folder that is not mounted looks like an empty one: hosts would seem to
 * show no signs of life, and results would be written where nobody finds them. So what the folder lacks is believed, and
 * something is written to it, only while it contains the project's file.
 */
export function existingStore(store: SharedStore, id: string): SharedStore {
  async function check(): Promise<void> {
    const text = await store.get(PROJECT);
    const project = text === null ? null : parseJson(text.toString());
    if (isJsonObject(project) && project['id'] === id) return;
    throw new Error(
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
