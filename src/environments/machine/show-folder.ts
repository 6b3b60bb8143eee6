import { lstatSync, readdirSync } from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { remembered } from '#host';
import type { EnvironmentHandle } from '../environment.js';
import { type Machine, quoted, withScratch } from './machine.js';

/** Folder in the machine in which checks of the agent's work find the run's results so far. */
export const resultsInside = ({ root }: Pick<EnvironmentHandle, 'root'>): string => join(root, 'results');

/** State of the files that were last copied into a machine, by the machine's name. */
const shown = remembered(() => new Map<string, string>());

/** Called when a machine is removed, also before it is created again. */
export const removeShown = ({ name }: Machine): void => void shown().delete(name);

/** Copies a folder on the host into the machine, unless it already has it in its current state. */
export async function showFolder(handle: EnvironmentHandle, machine: Machine, folder: string): Promise<void> {
  const files = filesBelow(folder);
  const look = JSON.stringify(files);
  if (shown().get(machine.name) === look) return;
  await withScratch(handle, async (scratch) => {
    for (const { path } of files) {
      await mkdir(dirname(join(scratch, path)), { recursive: true });
      await copyFile(join(folder, path), join(scratch, path));
    }
    const to = quoted(resultsInside(handle));
    await machine.run(`rm -rf ${to} && mkdir -p ${to}`);
    await machine.copyIn(scratch, resultsInside(handle));
  });
  shown().set(machine.name, look);
}

/** Files of the folder, without the copy of the workspace: the machine has the workspace itself. */
function filesBelow(folder: string): { path: string; bytes: number; at: number }[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => path !== 'fixture' && !path.startsWith('fixture/'))
      .map((path) => ({ path, info: lstatSync(join(folder, path)) }))
      .filter(({ info }) => info.isFile())
      .map(({ path, info }) => ({ path, bytes: info.size, at: info.mtimeMs }));
  } catch {
    return []; // the folder does not exist yet
  }
}
