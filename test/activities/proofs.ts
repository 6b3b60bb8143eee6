import { readFile } from 'node:fs/promises';
import { sha256 } from '../../src/lib/hash.js';
import { proveRun, proveSweep } from '../../src/host/security/origin.js';
import type { RunRef, SweepOrigin } from '../../src/protocol/index.js';
import { type EngineFolders, originKey } from '../../src/store/origin.js';
import { planFile } from '../../src/store/results-folder.js';

const planHash = async ({ resultsPath }: EngineFolders, sweep = 's'): Promise<string> =>
  sha256(await readFile(planFile(resultsPath, sweep)));

/** The origin with which a command would start the stored sweep `s` now. */
export async function ordered(
  folders: EngineFolders,
  execution: string,
  more: Partial<SweepOrigin['order']> = {},
): Promise<SweepOrigin> {
  const order = { round: 1, concurrency: 2, caps: { agents: {}, models: {} }, ...more };
  const facts = { sweep: 's', planHash: await planHash(folders), order };
  return { order, proof: proveSweep(await originKey(folders), facts), execution };
}

/** A run of a stored sweep, with the proof that the sweep would give it. */
export async function provenRun<T extends Pick<RunRef, 'sweep' | 'cell' | 'workflowId'>>(
  folders: EngineFolders,
  run: T,
): Promise<T & { proof: string }> {
  const { sweep, cell, workflowId } = run;
  const facts = { sweep, planHash: await planHash(folders, sweep), cell, workflowId };
  return { ...run, proof: proveRun(await originKey(folders), facts, '0'.repeat(16)) };
}
