import { type ProcessIdentity, signalProcess } from '#host';
import { waitForExit } from './server.js';

const STOP_MS = 10_000;

/** Asks a process to end, and kills it if it does not within 10 s. Returns false if it is still alive. */
export async function endProcess(identity: ProcessIdentity | null): Promise<boolean> {
  if (identity === null || !signalProcess(identity, 'SIGTERM')) return true;
  return (await waitForExit(identity, STOP_MS)) || killProcess(identity);
}

/** Kills a process with SIGKILL. Returns false if it is still alive after 10 s. */
export async function killProcess(identity: ProcessIdentity | null): Promise<boolean> {
  if (identity === null || !signalProcess(identity, 'SIGKILL')) return true;
  return waitForExit(identity, STOP_MS);
}
