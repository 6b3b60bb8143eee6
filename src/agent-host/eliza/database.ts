import { nothing } from './database/answer.js';
import type { DatabaseContent } from './database/content.js';
import { memoriesOf } from './database/memories.js';
import { cacheOf, tasksOf } from './database/notes.js';
import { agentsOf, componentsOf, entitiesOf, relationshipsOf } from './database/people.js';
import { participantsOf, placesOf } from './database/places.js';
import type { Uuid } from './core.js';

/*
 * A database in memory for an ElizaOS runtime, which can be saved as JSON. Like a real one it returns copies, and refuses
 * memories of entities and rooms that do not exist.
 */

/** Creates the adapter of a database, which implements `IDatabaseAdapter` of `@elizaos/core` on `content`. */
export function createDatabase(content: DatabaseContent): object {
  return {
    ...connection,
    ...agentsOf(content),
    ...entitiesOf(content),
    ...componentsOf(content),
    ...memoriesOf(content),
    ...placesOf(content),
    ...participantsOf(content),
    ...relationshipsOf(content),
    ...cacheOf(content),
    ...tasksOf(content),
  };
}

const connection = {
  db: {},
  initialize: nothing,
  init: nothing,
  runPluginMigrations: nothing,
  runMigrations: nothing,
  isReady: () => Promise.resolve(true),
  close: nothing,
  getConnection: () => Promise.resolve({}),
  ensureEmbeddingDimension: nothing,
  withEntityContext: <T>(_entity: Uuid | null, callback: () => Promise<T>): Promise<T> => callback(),
  // The log repeats what the events of the run contain.
  log: nothing,
  getLogs: () => Promise.resolve([]),
  deleteLog: nothing,
};
