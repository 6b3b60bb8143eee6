import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { supervisedFiles } from '../platform/process/supervise.js';
import type { Environment, EnvironmentHandle } from './environment.js';

type Journal = Pick<EnvironmentHandle, 'journal'>;

/** What a start of the agent has left on the host: its output, its exit status, and what was noted about it. */
export const startFolder = ({ journal }: Journal, start: number): string => join(journal, String(start));

/** The files of a start. `resumes`: the id of the session that it continues; `growth`: when its output had which size. */
export const startFiles = (journal: Journal, start: number) => {
  const folder = startFolder(journal, start);
  return {
    ...supervisedFiles(folder),
    folder,
    stdout: join(folder, 'out'),
    stderr: join(folder, 'err'),
    resumes: join(folder, 'resumes'),
    growth: join(folder, 'growth'),
  };
};

/** The numbers of the agent's starts that have a folder, in no order. */
function startNumbers({ journal }: Journal): number[] {
  const names = existsSync(journal) ? readdirSync(journal) : [];
  return names.filter((name) => /^[1-9]\d*$/.test(name)).map(Number);
}

/** Number of the agent's last start; 0 where it was never started. */
export const lastStart = (journal: Journal): number => Math.max(0, ...startNumbers(journal));

/** Those starts of the agent that are alive, and whether one of the others has left no exit status. */
export async function livingStarts(
  environment: Pick<Environment, 'inspect'>,
  handle: EnvironmentHandle,
): Promise<{ living: number[]; lost: boolean }> {
  const living: number[] = [];
  let lost = false;
  for (const start of startNumbers(handle)) {
    const { state } = await environment.inspect(handle, start);
    if (state === 'running' || state === 'starting') living.push(start);
    if (state === 'dead') lost = true;
  }
  return { living, lost };
}
