import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { sharesHost } from '#environments';
import type { RunContext } from './run-context.js';

/**
 * Leaves a symlink in the run's folder by which people find the workspace, whose own path says nothing about the run. It is there until
 * the run is over, and only if the workspace is on this machine.
 */
export function linkWorkspace({ files, handle }: Pick<RunContext, 'files' | 'handle'>): void {
  if (!sharesHost(handle)) return;
  try {
    // Not the results folder: if that was moved away, nothing must be in its place.
    if (!existsSync(files.folder)) mkdirSync(files.folder, { mode: 0o755 });
    symlinkSync(handle.workspace, files.workspace);
  } catch {
    // An earlier attempt has made it, or the disk has no room: no run fails for the sake of a link.
  }
}
