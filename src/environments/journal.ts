import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { supervisedFiles } from '#host';
import type { Environment, EnvironmentHandle } from './environment.js';

type Journal = Pick<EnvironmentHandle, 'journal'>;

const SIDES = ['calls', 'servers'] as const;

/**
 * The same place with a journal beside that of the agent, for an agent that is no program: for the programs of its
 * calls, and for what connects it with MCP servers.
 */
export const sideJournal = <H extends Journal>(handle: H, side: (typeof SIDES)[number]): H => ({
  ...handle,
  journal: `${handle.journal}-${side}`,
});

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

/** The handles of all journals of an agent. */
export const withSides = <H extends Journal>(handle: H): H[] => [
  handle,
  ...SIDES.map((side) => sideJournal(handle, side)),
];

/** A start that is alive, and the handle whose journal has it. */
interface LivingStart {
  handle: EnvironmentHandle;
  start: number;
}

/** Returns the starts of an agent that are alive, and whether any other start was lost without an exit status. */
export async function livingStarts(
  environment: Pick<Environment, 'inspect'>,
  own: EnvironmentHandle,
): Promise<{ living: LivingStart[]; lost: boolean }> {
  const living: LivingStart[] = [];
  let lost = false;
  for (const handle of withSides(own))
    for (const start of startNumbers(handle)) {
      const { state } = await environment.inspect(handle, start);
      if (state === 'running' || state === 'starting') living.push({ handle, start });
      if (state === 'dead') lost = true;
    }
  return { living, lost };
}
