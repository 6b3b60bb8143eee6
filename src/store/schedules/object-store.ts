import { createFolderStore } from '../shared/folder-store.js';
import type { SharedStore } from '../shared/shared-store.js';
import { sharedProjectOf } from '../shared/shared-project.js';

/** Where the small files of schedules are: the results folder, or the place that hosts share. */
export type ObjectStore = Pick<SharedStore, 'get' | 'put' | 'putOnce' | 'list' | 'remove'>;

/** Returns the objects of a results folder; those that all hosts see if it mirrors shared results. */
export const objectsOf = async (resultsPath: string): Promise<ObjectStore> =>
  (await sharedProjectOf(resultsPath))?.store ?? createFolderStore(resultsPath);
