import type { Memory, Uuid } from '../core.js';

export interface Row {
  id: Uuid;
  [field: string]: unknown;
}

export interface StoredMemory extends Memory {
  id: Uuid;
  createdAt: number;
}

/** What a database contains, as JSON. */
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
