import type { RuntimeDatabase } from '../runtime.js';
import { SOURCE, type Identity } from './identity.js';
import type { Core, Memory, Runtime, Uuid } from './core.js';

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
    // createMemory does not do this
    const searchable =
      runtime.getModel('TEXT_EMBEDDING') === undefined ? row : await runtime.addEmbeddingToMemory(row);
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
