import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { supervisedFiles } from '#host';
import type { Environment, EnvironmentHandle } from './environment.js';

type Journal = Pick<EnvironmentHandle, 'journal'>;

/** Folder on the host with the files of a start of the agent: its output, its exit status, and notes about it. */
export const startFolder = ({ journal }: Journal, start: number): string => join(journal, String(start));

/**
 * Paths of a start's files. `resumes`: id of the session that it resumes; `growth`: timeline of the size of its output.
 */
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

/** Numbers of the agent's starts that have a folder, in no particular order. */
export function startNumbers({ journal }: Journal): number[] {
  const names = existsSync(journal) ? readdirSync(journal) : [];
  return names.filter((name) => /^[1-9]\d*$/.test(name)).map(Number);
}

/** Number of the agent's last start; 0 if it was never started. */
export const lastStart = (journal: Journal): number => Math.max(0, ...startNumbers(journal));

/** Returns the starts of the agent that are alive, and whether any other start was lost without an exit status. */
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
