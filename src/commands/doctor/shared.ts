import { nearestExisting, networkFileSystem } from '#host';
import type { Finding } from '#reports';
import { isBucket, probeStore, requireSharedProject } from '#store';
import type { DoctorContext } from './context.js';

/** Checks that the shared place can be used, and that what must be on a local disk is. */
export async function sharedResults({ project, state }: DoctorContext): Promise<Finding> {
  const { store, location } = await requireSharedProject(project.resultsPath);
  const detail = { location };
  try {
    await probeStore(store);
  } catch (error) {
    return {
      status: 'problem',
      message: (error as Error).message,
      remedy: 'hosts and commands need this place; correct it, and run doctor again',
      detail,
    };
  }
  const local = await networkFileSystem(nearestExisting(state));
  if (local !== null)
    return {
      status: 'problem',
      message: `${state} is on ${local}, but locks and SQLite need a local disk`,
      remedy: 'set LLM_TOOL_TEST_HOME to a folder on a local disk; only the shared results may be elsewhere',
      detail,
    };
  const network = isBucket(location) ? null : await networkFileSystem(location);
  const delay =
    network === 'NFS' ? '; because it is on NFS, results of other hosts may appear a minute late' : '';
  return {
    status: 'ok',
    message: `${location} can be written, and each object is created only once${delay}`,
    detail,
  };
}
