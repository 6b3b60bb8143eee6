import { join } from 'node:path';
import { sha256 } from '#lib';

/**
 * The name by which a run's agent knows it: in paths, and in the environment. It is the same for every attempt and on every host,
 * and tells the agent nothing of its scenario, variant, agent and model, as the run's id would.
 */
export const opaqueId = (run: string): string => sha256(run).slice(0, 16);

/** Folder with the private folders of all runs. */
export const workFolder = (stateFolder: string): string => join(stateFolder, 'work');

/** Folder on the host in which a run records what it has done: manifests, fences, attempts, starts of the agent. */
export const stateOfRun = (stateFolder: string, run: string): string =>
  join(workFolder(stateFolder), opaqueId(run));
