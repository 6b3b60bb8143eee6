import { randomUUID } from 'node:crypto';
import type { Uuid } from '../core.js';
import { answer, nothing, storable } from './answer.js';
import type { DatabaseContent, Row } from './content.js';

export const cacheOf = ({ cache }: DatabaseContent) => ({
  getCache: (key: string) => answer(Object.hasOwn(cache, key) ? cache[key] : undefined),
  setCache(key: string, value: unknown) {
    cache[key] = storable(value);
    return answer(true);
  },
  deleteCache: (key: string) => answer(Reflect.deleteProperty(cache, key)),
});

export const tasksOf = ({ tasks }: DatabaseContent) => ({
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
