import { signalProcess, type ProcessIdentity } from '../process/process-identity.js';
import { waitForExit } from './server.js';

const STOP_MS = 10_000;

/** Asks a process to end, and kills it when it does not; false when it lives on all the same. */
export async function endProcess(identity: ProcessIdentity | null): Promise<boolean> {
  if (identity === null || !signalProcess(identity, 'SIGTERM')) return true;
  return (await waitForExit(identity, STOP_MS)) || killProcess(identity);
}

/** SIGKILLs a process; false when it lives on all the same. */
export async function killProcess(identity: ProcessIdentity | null): Promise<boolean> {
  if (identity === null || !signalProcess(identity, 'SIGKILL')) return true;
  return waitForExit(identity, STOP_MS);
}
