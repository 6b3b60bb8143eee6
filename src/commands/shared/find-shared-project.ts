import { isMirror } from '#host';
import { InfrastructureError, messageOf, UsageError } from '#lib';
import { openProject, projectByDefault } from '#planning';
import { isSharedPlace, joinSharedProject, pullResults, requireSharedProject, type SharedProject } from '#store';

/**
 * Returns the shared project whose results a command uses, with what is new brought into its mirror; null if they are
 * not shared.
 *
 * @throws UsageError if they are not usable; InfrastructureError if they cannot be reached
 */
export async function findSharedProject(flag: string | undefined): Promise<SharedProject | null> {
  const location = resultsOf(flag === undefined ? openProject : () => projectByDefault(flag));
  if (location === null || !(isMirror(location) || isSharedPlace(location))) return null;
  try {
    const project = isMirror(location) ? await requireSharedProject(location) : await joinSharedProject(location);
    await pullResults(project);
    return project;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new InfrastructureError(`the shared results at ${location} cannot be read: ${messageOf(error)}`);
  }
}

/** Returns null if the config file is invalid, which the command reports. */
function resultsOf(open: () => { resultsPath: string }): string | null {
  try {
    return open().resultsPath;
  } catch (error) {
    if (error instanceof UsageError) return null;
    throw error;
  }
}
