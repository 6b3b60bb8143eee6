import { randomUUID } from 'node:crypto';
import { emitCall, emitResult, messageOf } from '../events.js';
import type { Act } from './contract.js';

/** This program performs one turn. */
const running: string[] = [];

/** The action that is running; null if none is. */
export const runningAction = (): string | null => running.at(-1) ?? null;

/** Performs an action of an agent, and prints events of it. */
export const act: Act = async (name, input, perform) => {
  const id = randomUUID();
  emitCall(id, name, input);
  running.push(name);
  try {
    const result = await perform();
    emitResult(id, false, result ?? '');
    return result;
  } catch (error) {
    emitResult(id, true, messageOf(error));
    throw error;
  } finally {
    running.splice(running.lastIndexOf(name), 1);
  }
};
