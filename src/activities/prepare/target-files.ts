import { sharesHost } from '../../environments/environment.js';
import { cacheHome } from '../../platform/folders.js';
import { fingerprint } from '../../platform/fs/fingerprint.js';
import { programFiles, realPath, type ProgramFiles } from '../../platform/fs/program-files.js';
import type { RunContext } from '../step/run-context.js';
import type { Prepared } from './build-workspace.js';

export type TargetFiles = ProgramFiles;

/** Paths that change from run to run, or that the scenario's own hash covers: no part of any program. */
export const notPrograms = ({ handle }: RunContext): string[] => [...handle.hidden, cacheHome()];

/** What the target consists of, as it is now; `resolved` is its program. */
export async function targetFiles(context: RunContext, resolved: string): Promise<TargetFiles> {
  const { container } = context.handle;
  if (container !== undefined) return filesOfImage(context, container.image);
  const workspace = workspaceAround(context, resolved);
  // What setup commands change there is not in the fixture's hash; without any, that covers all of it.
  if (workspace !== null && context.scenario.inputs.commands.length === 0)
    return { fingerprint: await fingerprint(resolved), unknown: null };
  return programFiles(resolved, {
    declared: context.target_files ?? null,
    whole: workspace,
    passOver: workspace === null ? notPrograms(context) : [],
    path: context.targetEnv['PATH'] ?? context.baseEnv['PATH'] ?? '',
  });
}

/** The image and the fixture hold all of it, unless setup commands add to them. */
const filesOfImage = ({ scenario }: RunContext, image: string): TargetFiles =>
  scenario.inputs.commands.length === 0
    ? { fingerprint: image, unknown: null }
    : { fingerprint: null, unknown: 'what setup commands change in a container is not known' };

/** The run's workspace where the program is in it, else null. */
function workspaceAround({ handle }: RunContext, program: string): string | null {
  const workspace = realPath(handle.workspace);
  return program.startsWith(`${workspace}/`) ? workspace : null;
}

/**
 * Whether the target is no longer what it was when the run was prepared: then nobody knows which one was tested. What is in
 * the workspace is the agent's to change.
 */
export async function hasTargetChanged(context: RunContext, prepared: Prepared): Promise<boolean> {
  const { resolved, target_whole, target_fingerprint = null } = prepared;
  if (resolved === null || target_whole !== true) return false;
  if (!sharesHost(context.handle) || workspaceAround(context, resolved) !== null) return false;
  return (await targetFiles(context, resolved)).fingerprint !== target_fingerprint;
}
