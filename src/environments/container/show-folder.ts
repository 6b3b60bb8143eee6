import { lstatSync, readdirSync } from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Container, EnvironmentHandle } from '../environment.js';
import { quoted, runScript } from './container-cli.js';
import { copyIn, withScratch } from './copy.js';

/** Folder in the container in which checks of the agent's work find the run's results so far. */
export const resultsInside = ({ root }: Pick<EnvironmentHandle, 'root'>): string => join(root, 'results');

/** State of the files that were last copied into a container, by the container's name. */
const shown = new Map<string, string>();

/** Called when a container is removed, also before it is created again. */
export const removeShown = ({ name }: Container): void => void shown.delete(name);

/** Copies a folder on the host into the container, unless the container already has it in its current state. */
export async function showFolder(
  handle: EnvironmentHandle,
  container: Container,
  folder: string,
): Promise<void> {
  const files = filesBelow(folder);
  const look = JSON.stringify(files);
  if (shown.get(container.name) === look) return;
  await withScratch(handle, async (scratch) => {
    for (const { path } of files) {
      await mkdir(dirname(join(scratch, path)), { recursive: true });
      await copyFile(join(folder, path), join(scratch, path));
    }
    const to = quoted(resultsInside(handle));
    await runScript(container, `rm -rf ${to} && mkdir -p ${to}`);
    await copyIn(container, scratch, resultsInside(handle));
  });
  shown.set(container.name, look);
}

/** Files of the folder, without the copy of the workspace: the container has the workspace itself. */
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
