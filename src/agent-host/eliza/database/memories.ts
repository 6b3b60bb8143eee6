import { randomUUID } from 'node:crypto';
import type { Memory, Uuid } from '../core.js';

export interface Row {
  id: Uuid;
  [field: string]: unknown;
}

interface StoredMemory extends Memory {
  id: Uuid;
  createdAt: number;
}

/** The contents of a database, as JSON. */
export interface DatabaseContent {
  /** The agent with its settings, which may contain secrets: not saved, since each start writes it anew. */
  agents: Record<string, Row>;
  entities: Record<string, Row>;
  components: Record<string, Row>;
  worlds: Record<string, Row>;
  rooms: Record<string, Row>;
  participants: { entityId: Uuid; roomId: Uuid; state: string | null }[];
  /** In the order in which they were created. */
  memories: { table: string; memory: StoredMemory }[];
  relationships: Record<string, Row>;
  tasks: Record<string, Row>;
  cache: Record<string, unknown>;
}

export const emptyDatabase = (): DatabaseContent => ({
  agents: {},
  entities: {},
  components: {},
  worlds: {},
  rooms: {},
  participants: [],
  memories: [],
  relationships: {},
  tasks: {},
  cache: {},
});

/** Returns a copy, as a database does: what callers change stays theirs. */
const copy = <T>(value: T): T => structuredClone(value);

export const answer = <T>(value: T): Promise<T> => Promise.resolve(copy(value));
export const nothing = (): Promise<void> => Promise.resolve();

/** A copy of what a database can keep. A character may contain templates that are functions, for example. */
export const storable = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

interface MemoryQuery {
  tableName?: string;
  entityId?: Uuid;
  agentId?: Uuid;
  roomId?: Uuid;
  worldId?: Uuid;
  roomIds?: Uuid[];
  unique?: boolean;
  start?: number;
  end?: number;
  count?: number;
  limit?: number;
  offset?: number;
}

interface SimilarQuery extends Omit<MemoryQuery, 'limit'> {
  embedding: number[];
  match_threshold?: number;
}

export const memoriesOf = (content: DatabaseContent) => {
  const { memories, entities, rooms } = content;
  /** The newest first. */
  const find = (query: MemoryQuery): StoredMemory[] => {
    const { offset = 0, count = query.limit } = query;
    const found = memories
      .filter(({ table, memory }) => (query.tableName ?? table) === table && isWanted(memory, query))
      .map(({ memory }, index) => ({ memory, index }))
      .sort((a, b) => b.memory.createdAt - a.memory.createdAt || b.index - a.index)
      .map(({ memory }) => memory);
    return found.slice(offset, count === undefined ? undefined : offset + count);
  };
  const remove = (isRemoved: (one: DatabaseContent['memories'][number]) => boolean): Promise<void> => {
    memories.splice(0, memories.length, ...memories.filter((one) => !isRemoved(one)));
    return nothing();
  };
  return {
    getMemories: (query: MemoryQuery) => answer(find(query)),
    getMemoriesByRoomIds: (query: MemoryQuery) => answer(find(query)),
    getMemoriesByWorldId: (query: MemoryQuery) => answer(find(query)),
    getMemoryById: (id: Uuid) => answer(memories.find(({ memory }) => memory.id === id)?.memory ?? null),
    getMemoriesByIds: (ids: Uuid[], table?: string) =>
      answer(
        memories
          .filter((one) => ids.includes(one.memory.id) && (table === undefined || table === one.table))
          .map(({ memory }) => memory),
      ),
    getCachedEmbeddings: () => answer([]),
    searchMemories({ embedding, match_threshold = 0, count = 10, ...query }: SimilarQuery) {
      const similar = find(query)
        .flatMap((memory) =>
          memory.embedding === undefined ? [] : [{ ...memory, similarity: cosine(memory.embedding, embedding) }],
        )
        .filter(({ similarity }) => similarity >= match_threshold)
        .sort((a, b) => b.similarity - a.similarity);
      return answer(similar.slice(0, count));
    },
    createMemory(memory: Memory, table: string, unique = false) {
      // Not async, but it fails as a database does.
      if (!Object.hasOwn(entities, memory.entityId))
        return Promise.reject(new Error(`a memory belongs to an unknown entity: ${memory.entityId}`));
      if (!Object.hasOwn(rooms, memory.roomId))
        return Promise.reject(new Error(`a memory belongs to an unknown room: ${memory.roomId}`));
      const id = memory.id ?? randomUUID();
      if (memories.some((one) => one.memory.id === id)) return answer(id);
      const createdAt = memory.createdAt ?? Date.now();
      memories.push({
        table,
        memory: { ...storable(memory), id, createdAt, unique: memory.unique ?? unique },
      });
      return answer(id);
    },
    updateMemory(changed: Partial<Memory> & { id: Uuid }) {
      const found = memories.find(({ memory }) => memory.id === changed.id);
      if (found === undefined) return answer(false);
      Object.assign(found.memory, storable(changed));
      return answer(true);
    },
    deleteMemory: (id: Uuid) => remove(({ memory }) => memory.id === id),
    deleteManyMemories: (ids: Uuid[]) => remove(({ memory }) => ids.includes(memory.id)),
    deleteAllMemories: (roomId: Uuid, table: string) =>
      remove((one) => one.memory.roomId === roomId && one.table === table),
    countMemories: (roomId: Uuid, unique = false, tableName = 'messages') =>
      answer(find({ roomId, unique, tableName }).length),
  };
};

const isWanted = (memory: StoredMemory, { start, end, roomIds, unique, ...query }: MemoryQuery): boolean =>
  (['entityId', 'agentId', 'roomId', 'worldId'] as const).every(
    (key) => query[key] === undefined || memory[key] === undefined || query[key] === memory[key],
  ) &&
  (roomIds === undefined || roomIds.includes(memory.roomId)) &&
  (unique !== true || memory.unique === true) &&
  (start === undefined || memory.createdAt >= start) &&
  (end === undefined || memory.createdAt <= end);

function cosine(a: readonly number[], b: readonly number[]): number {
  const dot = (x: readonly number[], y: readonly number[]): number =>
    x.reduce((sum, value, index) => sum + value * (y[index] ?? 0), 0);
  const length = Math.sqrt(dot(a, a) * dot(b, b));
  return length === 0 ? 0 : dot(a, b) / length;
}
