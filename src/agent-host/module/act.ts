import { randomUUID } from 'node:crypto';
import { emitCall, emitResult, messageOf } from '../events.js';
import type { Act } from './contract.js';

/** Performs an action of an agent, and prints events of it. */
export const act: Act = async (name, input, perform) => {
  const id = randomUUID();
  emitCall(id, name, input);
  try {
    const result = await perform();
    emitResult(id, false, result ?? '');
    return result;
  } catch (error) {
    emitResult(id, true, messageOf(error));
    throw error;
  }
};
