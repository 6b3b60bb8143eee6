import { UsageError } from '../lib/errors/usage-error.js';
import { isBinary } from '../platform/fs/program-files.js';
import { checkSandboxRequired } from './check-sandbox.js';
import type { Project } from './project.js';
import type { UnstoredScenario } from '../scenario/plan.js';
import type { ResolvedSweep } from './resolve-sweep.js';

/**
 * Checks what does not depend on the machine, for a sweep whose runs take place on other hosts: each host checks itself
 * before it takes a run.
 *
 * @throws UsageError if the hosts cannot be given the target
 */
export function checkForHosts(project: Project, resolved: Pick<ResolvedSweep, 'scenarios'>): void {
  checkSandboxRequired(project, resolved);
  for (const { selected, variant, effective } of resolved.scenarios) {
    const why = whyNotSent(effective);
    if (why === null) continue;
    const message = `the target ${effective.target_path} ${why}; put it into the fixture, or install it on the hosts and name it without a path`;
    const problems = [variant.problemAt(['target', 'binary'], message)];
    throw new UsageError('target_missing', message, problems, new Map([[selected.file, selected.text]]));
  }
}

/** Why the target cannot be sent to the hosts, which get its program alone; null if it can, or need not. */
function whyNotSent({ target_path, target_files }: UnstoredScenario): string | null {
  if (target_path === null || target_files?.length === 0) return null;
  if (target_files !== undefined)
    return 'has further files (target.files), but hosts receive only its program';
  return isBinary(target_path)
    ? null
    : 'is a script, which may need files beside it, but hosts receive only its program: set target.files to [] if it needs none';
}
