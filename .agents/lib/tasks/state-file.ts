import { fail, isRecord } from '../script.ts';
import { failToRead, requireFolder } from './folder.ts';
import { FRESH, type State } from './state.ts';
import { isNumber } from './task.ts';

/** Where the tasks of a folder stand, for scripts that need a task to have been started. */
export function readState(folder: string): State {
  const text = textOfState(folder);
  return text === null
    ? fail('STATE_FILE_NOT_FOUND', `${folder}/state.json is not there: start the first task`)
    : parseState(text);
}

/** The same for the script that starts one. */
export function readOrBeginState(folder: string): State {
  const text = textOfState(folder);
  return text === null ? FRESH : parseState(text);
}

function textOfState(folder: string): string | null {
  try {
    return Deno.readTextFileSync(`${folder}/state.json`);
  } catch (error) {
    return error instanceof Deno.errors.NotFound ? null : failToRead(error);
  }
}

function parseState(text: string): State {
  const { current, status, last_verified = null } = objectIn(text);
  const isStatus = status === 'pending' || status === 'in_progress' || status === 'done';
  if (!isStatus || !isNumberOrNull(current) || !isNumberOrNull(last_verified)) {
    return fail('STATE_PARSE_ERROR', 'state.json has no valid current, status and last_verified');
  }
  if (current === null && status !== 'pending') fail('STATE_PARSE_ERROR', `state.json: no task is ${status}`);
  return { current, status, last_verified };
}

function objectIn(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch (error) {
    return fail('STATE_PARSE_ERROR', `state.json: ${(error as Error).message}`);
  }
}

const isNumberOrNull = (value: unknown): value is string | null =>
  value === null || (typeof value === 'string' && isNumber(value));

/**
 * Replaces the state of a folder by what `decide` makes of it. One process at a time decides, and the system takes the lock from
 * one that dies. Whoever reads sees the old file or the new one.
 */
export function changeState<Decision extends { state: State }>(folder: string, decide: () => Decision): Decision {
  requireFolder(folder);
  using _lock = lockOf(folder);
  const decision = decide();
  writeState(folder, decision.state);
  return decision;
}

function lockOf(folder: string): Deno.FsFile {
  try {
    const file = Deno.openSync(`${folder}/state.lock`, { write: true, create: true });
    file.lockSync(true);
    return file;
  } catch (error) {
    return failToWrite(error);
  }
}

function writeState(folder: string, state: State): void {
  const path = `${folder}/state.json`;
  const temporary = `${path}.new`;
  try {
    Deno.writeTextFileSync(temporary, JSON.stringify(state, null, 2) + '\n');
    using file = Deno.openSync(temporary);
    file.syncSync();
    Deno.renameSync(temporary, path);
  } catch (error) {
    failToWrite(error);
  }
}

function failToWrite(error: unknown): never {
  if (error instanceof Deno.errors.NotCapable) throw error;
  return fail('WRITE_ERROR', (error as Error).message);
}
