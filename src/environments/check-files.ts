import { mkdir, mkdtemp, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { copyTree, listTree, removeTree } from '#host';
import type { CommandResult } from '#lib';
import { CHECKS_VARIABLE, type EnvironmentHandle, type ExecRequest } from './environment.js';
import { RUN_FOLDERS } from './run-folders.js';

/** Folder of the copies of the checks, each in a folder that exists only while its command runs. */
export const checkFilesFolder = ({ root }: Pick<EnvironmentHandle, 'root'>): string =>
  join(root, RUN_FOLDERS.checkFiles);

/**
 * Adds the variable that leads to the checks to a request. As for all variables, those of the target take precedence.
 */
export const withChecksVariable = (request: ExecRequest, path: string): ExecRequest => ({
  ...request,
  env: { [CHECKS_VARIABLE]: path, ...request.env },
});

/**
 * Runs a command with a copy of the checks of its own, which is removed afterwards. Scripts write beside themselves
 * (Python does), which must not change the snapshot. The name is new each time, so that the agent cannot have put files
 * there.
 */
export async function withCheckFiles(
  handle: EnvironmentHandle,
  request: ExecRequest,
  exec: (request: ExecRequest) => Promise<CommandResult>,
): Promise<CommandResult> {
  const checks = request.inSandbox?.checks;
  if (checks === undefined) return exec(request);
  await mkdir(checkFilesFolder(handle), { recursive: true, mode: 0o700 });
  const copy = await mkdtemp(join(checkFilesFolder(handle), 'c'));
  try {
    await copyTree(checks, await listTree(checks), copy);
    return await exec(withChecksVariable(request, await realpath(copy)));
  } finally {
    await removeTree(copy);
  }
}
