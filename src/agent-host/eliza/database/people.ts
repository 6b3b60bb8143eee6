import { randomUUID } from 'node:crypto';
import type { Uuid } from '../core.js';
import { answer, type DatabaseContent, nothing, type Row, storable } from './memories.js';

export const agentsOf = ({ agents }: DatabaseContent) => ({
  getAgent: (id: Uuid) => answer(agents[id] ?? null),
  getAgents: () => answer(Object.values(agents)),
  createAgent(agent: Row) {
    agents[agent.id] = storable(agent);
    return answer(true);
  },
  updateAgent(id: Uuid, agent: Partial<Row>) {
    agents[id] = { ...agents[id], ...storable(agent), id };
    return answer(true);
  },
  deleteAgent: (id: Uuid) => answer(Reflect.deleteProperty(agents, id)),
});

export const entitiesOf = ({ entities, components, participants }: DatabaseContent) => ({
  getEntitiesByIds: (ids: Uuid[]) => answer(ids.flatMap((id) => entities[id] ?? [])),
  getEntitiesForRoom: (roomId: Uuid, includeComponents = false) =>
    answer(
      participants
        .filter((one) => one.roomId === roomId)
        .flatMap(({ entityId }) => entities[entityId] ?? [])
        .map((entity) =>
          includeComponents
            ? {
                ...entity,
                components: Object.values(components).filter((one) => one['entityId'] === entity.id),
              }
            : entity,
        ),
    ),
  createEntities(created: Partial<Row>[]) {
    const rows = created.map((entity): Row => ({ ...storable(entity), id: entity.id ?? randomUUID() }));
    for (const row of rows) entities[row.id] ??= row;
    return answer(true);
  },
  updateEntity(entity: Row) {
    entities[entity.id] = { ...entities[entity.id], ...storable(entity), id: entity.id };
    return nothing();
  },
});

export const componentsOf = ({ components }: DatabaseContent) => {
  const find = (entityId: Uuid, worldId?: Uuid, sourceEntityId?: Uuid): Row[] =>
    Object.values(components).filter(
      (one) =>
        one['entityId'] === entityId &&
        (worldId === undefined || one['worldId'] === worldId) &&
        (sourceEntityId === undefined || one['sourceEntityId'] === sourceEntityId),
    );
  return {
    getComponent: (entityId: Uuid, type: string, worldId?: Uuid, sourceEntityId?: Uuid) =>
      answer(find(entityId, worldId, sourceEntityId).find((one) => one['type'] === type) ?? null),
    getComponents: (entityId: Uuid, worldId?: Uuid, sourceEntityId?: Uuid) =>
      answer(find(entityId, worldId, sourceEntityId)),
    createComponent(component: Row) {
      components[component.id] = storable(component);
      return answer(true);
    },
    updateComponent(component: Row) {
      components[component.id] = { ...components[component.id], ...storable(component) };
      return nothing();
    },
    deleteComponent(id: Uuid) {
      Reflect.deleteProperty(components, id);
      return nothing();
    },
  };
};

export const relationshipsOf = ({ relationships }: DatabaseContent) => ({
  createRelationship(created: { sourceEntityId: Uuid; targetEntityId: Uuid; tags?: string[] }) {
    const id = randomUUID();
    relationships[id] = {
      tags: [],
      metadata: {},
      ...storable(created),
      id,
      createdAt: new Date().toISOString(),
    };
    return answer(true);
  },
  updateRelationship(changed: Row) {
    relationships[changed.id] = { ...relationships[changed.id], ...storable(changed) };
    return nothing();
  },
  getRelationship: ({ sourceEntityId, targetEntityId }: Record<string, unknown>) =>
    answer(
      Object.values(relationships).find(
        (one) => one['sourceEntityId'] === sourceEntityId && one['targetEntityId'] === targetEntityId,
      ) ?? null,
    ),
  getRelationships: ({ entityId, tags = [] }: { entityId: Uuid; tags?: string[] }) =>
    answer(
      Object.values(relationships).filter(
        (one) =>
          [one['sourceEntityId'], one['targetEntityId']].includes(entityId) &&
          tags.every((tag) => (one['tags'] as string[]).includes(tag)),
      ),
    ),
});
