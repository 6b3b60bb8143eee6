import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { CommandResult } from '../../lib/commands/command-result.js';
import { checkFilesFolder, withChecksVariable } from '../check-files.js';
import type { EnvironmentHandle, ExecRequest } from '../environment.js';
import { mustRun, type Machine } from './machine.js';
import { quoted } from './quoting.js';

/** Removes checks that a worker left when it died, before the agent works again. */
export async function removeCheckFiles(handle: EnvironmentHandle, machine: Machine): Promise<void> {
  await machine.run(`rm -rf ${quoted(checkFilesFolder(handle))}`, 'root');
}

/**
 * Runs a command with a copy of the checks in the machine, which is removed afterwards: the agent works in the same
 * machine, and may have another turn. The copy belongs to root, so that commands of other users cannot write to it.
 */
export async function withCheckFiles(
  handle: EnvironmentHandle,
  machine: Machine,
  request: ExecRequest,
  exec: (request: ExecRequest) => Promise<CommandResult>,
): Promise<CommandResult> {
  const checks = request.inSandbox?.checks;
  if (checks === undefined) return exec(request);
  const folder = join(checkFilesFolder(handle), randomBytes(6).toString('hex'));
  const path = quoted(folder);
  try {
    await mustRun(machine, 'creating the folder of the checks', `mkdir -p ${path}`);
    await machine.copyIn(checks, folder);
    await mustRun(
      machine,
      'protecting the checks',
      `chown -R 0:0 ${path} && chmod -R a+rX,go-w ${path}`,
      'root',
    );
    return await exec(withChecksVariable(request, folder));
  } finally {
    await machine.run(`rm -rf ${path}`, 'root');
  }
}
