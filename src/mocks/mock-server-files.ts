import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProcessIdentity } from '#host';
import { parseJson } from '#lib';

/*
 * The folder of a run's server of mocked endpoints, in its private state: worker and server know each other only
 * through these files.
 */

export const LOOPBACK = '127.0.0.1';

/** More calls would not fit into a report that people can read. */
export const MAX_CALLS = 1000;

export const mockServerFolder = (state: string): string => join(state, 'mock-server');
/** The port of the server, which is the same after a restart. */
export const portFile = (folder: string): string => join(folder, 'port');
/** The identity of the server that listens, written by itself. */
export const serverFile = (folder: string): string => join(folder, 'server.json');
/** The reason why the server could not listen. */
export const startProblemFile = (folder: string): string => join(folder, 'problem');
/** The description of the mocks for the server. */
export const mocksFile = (folder: string): string => join(folder, 'mocks.json');
/** Name of the step that is being performed. */
export const stepFile = (folder: string): string => join(folder, 'step');
/** Records of calls: `1.json` is the first one. The agent in a sandbox cannot write there. */
export const requestsFolder = (folder: string): string => join(folder, 'calls');

/** The last server that listened; null if there is none, or a power failure left the file empty. */
export const readServer = (folder: string): ProcessIdentity | null =>
  (parseJson(textOf(serverFile(folder))) as ProcessIdentity | undefined) ?? null;

/** The port that is kept for the server; null if there is none yet. */
export const readPort = (folder: string): number | null => Number(textOf(portFile(folder))) || null;

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
