import { lstatSync, readdirSync } from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Container, EnvironmentHandle } from '../environment.js';
import { quoted, runScript } from './container-cli.js';
import { copyIn, withScratch } from './copy.js';

/** Where what checks the agent's work finds the results of the run so far. */
export const resultsInside = ({ root }: Pick<EnvironmentHandle, 'root'>): string => join(root, 'results');

/** What was copied into a container last, by the container's name. */
const shown = new Map<string, string>();

/** Called when a container is made or removed. */
export const forgetShown = ({ name }: Container): void => void shown.delete(name);

/** Copies a folder of the host into the container, where it is not there yet as it is now. */
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

/** The copy of the workspace is not among them: that is in the container itself. */
function filesBelow(folder: string): { path: string; bytes: number; at: number }[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => path !== 'fixture' && !path.startsWith('fixture/'))
      .map((path) => ({ path, info: lstatSync(join(folder, path)) }))
      .filter(({ info }) => info.isFile())
      .map(({ path, info }) => ({ path, bytes: info.size, at: info.mtimeMs }));
  } catch {
    return []; // nothing is there yet
  }
}
