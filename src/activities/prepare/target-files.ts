import { sharesHost } from '#environments';
import { cacheHome, fingerprint, programFiles, type ProgramFiles, realPath } from '#host';
import type { Prepared } from './build-workspace.js';
import type { LoadedRun, RunIdentity, RunPlaces } from '../run/context.js';

export type TargetFiles = ProgramFiles;

/** Paths that change from run to run, or that the scenario's own hash covers; not part of any program. */
export const notPrograms = ({ handle }: RunPlaces): string[] => [...handle.hidden, cacheHome()];

/** Fingerprint of what the target consists of now. `resolved`: path of its program. */
export async function targetFiles(context: LoadedRun, resolved: string): Promise<TargetFiles> {
  const { container, sandbox, pod } = context.handle;
  if (container !== undefined) return filesOfImage(context, container.image);
  if (sandbox !== undefined) return { fingerprint: null, unknown: 'the files of a template of E2B are unknown' };
  if (pod !== undefined) return { fingerprint: null, unknown: `the image ${pod.image} may change at any time` };
  const workspace = workspaceAround(context, resolved);
  // The fixture's hash covers the workspace unless setup commands change it.
  if (workspace !== null && context.scenario.inputs.commands.length === 0)
    return { fingerprint: await fingerprint(resolved), unknown: null };
  return programFiles(resolved, {
    declared: context.target_files ?? null,
    whole: workspace,
    passOver: workspace === null ? notPrograms(context) : [],
    path: context.targetEnv['PATH'] ?? context.baseEnv['PATH'] ?? '',
  });
}

/** The image and the fixture contain the whole target, unless setup commands change it. */
const filesOfImage = ({ scenario }: RunIdentity, image: string): TargetFiles =>
  scenario.inputs.commands.length === 0
    ? { fingerprint: image, unknown: null }
    : { fingerprint: null, unknown: 'the changes made by setup commands in a container are unknown' };

/** The run's workspace if it contains the program; else null. */
function workspaceAround({ handle }: RunPlaces, program: string): string | null {
  const workspace = realPath(handle.workspace);
  return program.startsWith(`${workspace}/`) ? workspace : null;
}

/**
 * True if the target has changed since the run was prepared, so that it is unknown which version was tested. A target
 * in the workspace is never reported: the agent may change it.
 */
export async function hasTargetChanged(context: LoadedRun, prepared: Prepared): Promise<boolean> {
  const { resolved, target_fingerprint } = prepared;
  if (resolved === null || target_fingerprint === undefined) return false;
  if (!sharesHost(context.handle) || workspaceAround(context, resolved) !== null) return false;
  return (await targetFiles(context, resolved)).fingerprint !== target_fingerprint;
}
