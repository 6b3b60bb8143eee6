import { randomUUID } from 'node:crypto';
import type { RuntimeDatabase } from '../runtime.js';
import type { Core, Memory, Runtime, Uuid } from './core.js';
import { answer, type DatabaseContent, memoriesOf, nothing, type Row, storable } from './database/memories.js';
import { agentsOf, componentsOf, entitiesOf, relationshipsOf } from './database/people.js';
import { type Identity, SOURCE } from './observe.js';

/*
 * A database in memory for an ElizaOS runtime, which can be saved as JSON. Like a real one it returns copies, and
 * refuses memories of entities and rooms that do not exist.
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

const cacheOf = ({ cache }: DatabaseContent) => ({
  getCache: (key: string) => answer(Object.hasOwn(cache, key) ? cache[key] : undefined),
  setCache(key: string, value: unknown) {
    cache[key] = storable(value);
    return answer(true);
  },
  deleteCache: (key: string) => answer(Reflect.deleteProperty(cache, key)),
});

const tasksOf = ({ tasks }: DatabaseContent) => ({
  createTask(task: Partial<Row>) {
    const id = task.id ?? randomUUID();
    tasks[id] = { ...storable(task), id };
    return answer(id);
  },
  getTasks: ({ roomId, entityId, tags = [] }: { roomId?: Uuid; entityId?: Uuid; tags?: string[] }) =>
    answer(
      Object.values(tasks).filter(
        (one) =>
          (roomId === undefined || one['roomId'] === roomId) &&
          (entityId === undefined || one['entityId'] === entityId) &&
          tags.every((tag) => ((one['tags'] ?? []) as string[]).includes(tag)),
      ),
    ),
  getTask: (id: Uuid) => answer(tasks[id] ?? null),
  getTasksByName: (name: string) => answer(Object.values(tasks).filter((one) => one['name'] === name)),
  updateTask(id: Uuid, task: Partial<Row>) {
    tasks[id] = { ...tasks[id], ...storable(task), id };
    return nothing();
  },
  deleteTask(id: Uuid) {
    Reflect.deleteProperty(tasks, id);
    return nothing();
  },
});

const placesOf = ({ worlds, rooms }: DatabaseContent) => {
  const removeRooms = (isRemoved: (room: Row) => boolean): Promise<void> => {
    for (const room of Object.values(rooms)) if (isRemoved(room)) Reflect.deleteProperty(rooms, room.id);
    return nothing();
  };
  const createIn = (table: Record<string, Row>, row: Partial<Row>): Uuid => {
    const id = row.id ?? randomUUID();
    table[id] = { ...storable(row), id };
    return id;
  };
  const update = (table: Record<string, Row>, row: Row): Promise<void> => {
    table[row.id] = { ...table[row.id], ...storable(row), id: row.id };
    return nothing();
  };
  return {
    createWorld: (world: Partial<Row>) => answer(createIn(worlds, world)),
    getWorld: (id: Uuid) => answer(worlds[id] ?? null),
    getAllWorlds: () => answer(Object.values(worlds)),
    updateWorld: (world: Row) => update(worlds, world),
    removeWorld(id: Uuid) {
      Reflect.deleteProperty(worlds, id);
      return nothing();
    },
    createRooms: (created: Partial<Row>[]) => answer(created.map((room) => createIn(rooms, room))),
    getRoomsByIds: (ids: Uuid[]) => answer(ids.flatMap((id) => rooms[id] ?? [])),
    getRoomsByWorld: (worldId: Uuid) => answer(Object.values(rooms).filter((room) => room['worldId'] === worldId)),
    updateRoom: (room: Row) => update(rooms, room),
    deleteRoom: (id: Uuid) => removeRooms((room) => room.id === id),
    deleteRoomsByWorldId: (worldId: Uuid) => removeRooms((room) => room['worldId'] === worldId),
  };
};

const participantsOf = ({ participants, entities }: DatabaseContent) => {
  const find = (entityId: Uuid, roomId: Uuid) =>
    participants.find((one) => one.entityId === entityId && one.roomId === roomId);
  const roomsOf = (ids: Uuid[]): Uuid[] => [
    ...new Set(participants.filter((one) => ids.includes(one.entityId)).map(({ roomId }) => roomId)),
  ];
  return {
    getRoomsForParticipant: (entityId: Uuid) => answer(roomsOf([entityId])),
    getRoomsForParticipants: (ids: Uuid[]) => answer(roomsOf(ids)),
    addParticipantsRoom(ids: Uuid[], roomId: Uuid) {
      for (const entityId of ids)
        if (find(entityId, roomId) === undefined) participants.push({ entityId, roomId, state: null });
      return answer(true);
    },
    removeParticipant(entityId: Uuid, roomId: Uuid) {
      const kept = participants.filter((one) => one.entityId !== entityId || one.roomId !== roomId);
      const removed = kept.length < participants.length;
      participants.splice(0, participants.length, ...kept);
      return answer(removed);
    },
    getParticipantsForEntity: (entityId: Uuid) =>
      answer(
        participants
          .filter((one) => one.entityId === entityId)
          .map(() => ({ id: entityId, entity: entities[entityId] })),
      ),
    getParticipantsForRoom: (roomId: Uuid) =>
      answer(participants.filter((one) => one.roomId === roomId).map(({ entityId }) => entityId)),
    isRoomParticipant: (roomId: Uuid, entityId: Uuid) => answer(find(entityId, roomId) !== undefined),
    getParticipantUserState: (roomId: Uuid, entityId: Uuid) => answer(find(entityId, roomId)?.state ?? null),
    setParticipantUserState(roomId: Uuid, entityId: Uuid, state: string | null) {
      const found = find(entityId, roomId);
      if (found !== undefined) found.state = state;
      return nothing();
    },
  };
};

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Between memories without a time, which become older than the first message. */
const STEP_MS = 1000;

/** Writes what the scenario puts into the database. */
export async function seedDatabase(
  runtime: Runtime,
  core: Core,
  { entities, memories, relationships, cache }: RuntimeDatabase,
  { agent, user, room, world }: Identity,
): Promise<void> {
  const idOf = (name: string): Uuid =>
    name === 'user' ? user : name === 'agent' ? agent : UUID.test(name) ? name : core.stringToUuid(name);
  for (const { id, names, metadata } of entities) {
    await runtime.createEntity({ id: idOf(id), names, metadata, agentId: agent });
    await runtime.ensureParticipantInRoom(idOf(id), room);
  }
  const now = Date.now();
  for (const [index, memory] of memories.entries()) {
    const row: Memory = {
      id: core.stringToUuid(`${SOURCE} memory ${index}`),
      entityId: idOf(memory.entityId),
      agentId: agent,
      roomId: room,
      worldId: world,
      content: { source: SOURCE, ...memory.content },
      createdAt: memory.createdAt ?? now - (memories.length - index) * STEP_MS,
      ...(memory.metadata === undefined ? {} : { metadata: memory.metadata }),
    };
    // `createMemory` does not do this.
    const searchable = runtime.getModel('TEXT_EMBEDDING') === undefined ? row : await runtime.addEmbeddingToMemory(row);
    await runtime.createMemory(searchable, memory.tableName, memory.unique);
  }
  for (const { sourceEntityId, targetEntityId, tags, metadata } of relationships)
    await runtime.createRelationship({
      sourceEntityId: idOf(sourceEntityId),
      targetEntityId: idOf(targetEntityId),
      tags,
      metadata,
    });
  for (const [key, value] of Object.entries(cache)) await runtime.setCache(key, value);
}
