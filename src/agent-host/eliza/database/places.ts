import { randomUUID } from 'node:crypto';
import type { Uuid } from '../core.js';
import { answer, nothing, storable } from './answer.js';
import type { DatabaseContent, Row } from './content.js';

export const placesOf = ({ worlds, rooms }: DatabaseContent) => {
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
    getRoomsByWorld: (worldId: Uuid) =>
      answer(Object.values(rooms).filter((room) => room['worldId'] === worldId)),
    updateRoom: (room: Row) => update(rooms, room),
    deleteRoom: (id: Uuid) => removeRooms((room) => room.id === id),
    deleteRoomsByWorldId: (worldId: Uuid) => removeRooms((room) => room['worldId'] === worldId),
  };
};

export const participantsOf = ({ participants, entities }: DatabaseContent) => {
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
