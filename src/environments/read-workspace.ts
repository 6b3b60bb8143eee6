import { copyBestEffort, createFolderOnce, isFolder, type Mask, type SkippedEntry } from '#host';
import type { WorkspaceChanges } from '#model';
import type { Contents, Environment, EnvironmentHandle } from './environment.js';
import { workspaceChanges } from './workspace-changes.js';

/** Returns what has changed in the workspace since `prepare` created it; null if the workspace is gone. */
export const changesIn = (
  environment: Pick<Environment, 'view'>,
  handle: EnvironmentHandle,
  { fixture, files }: { fixture: string; files: Contents['files'] },
): Promise<WorkspaceChanges | null> =>
  environment.view(handle, (workspace) => workspaceChanges(workspace, fixture, files));

/**
 * Kills everything of the run that is still alive and copies the workspace to `to`, with names and contents passed
 * through `mask`. Returns what was left out. Can be repeated.
 */
export async function collect(
  environment: Pick<Environment, 'kill' | 'view'>,
  handle: EnvironmentHandle,
  to: string,
  mask: Mask | null,
): Promise<SkippedEntry[]> {
  await environment.kill(handle, 'everything');
  const leftOut = await environment.view(handle, async (workspace) => {
    if (await isFolder(to)) return copyBestEffort(workspace, null, mask); // an earlier attempt has copied it
    let found: SkippedEntry[] = [];
    await createFolderOnce(to, async (temporary) => {
      found = await copyBestEffort(workspace, temporary, mask);
    });
    return found;
  });
  return leftOut ?? []; // the workspace was never created, or is gone
}
