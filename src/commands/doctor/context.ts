import { plannedHomes, projectState } from '../../platform/folders.js';
import type { Finding } from '../../reports/doctor-text.js';
import { openProject, projectByDefault, type Project } from '../../planning/project.js';
import { UsageError } from '../../lib/usage-error.js';

/** What checks look at. */
export interface DoctorContext {
  /** With the defaults where the config is broken, so that the rest can be checked. */
  project: Project;
  configError: UsageError | null;
  state: string;
  cache: string;
  /** The private folder of the engine of this results folder. */
  engine: string;
  address: string | undefined;
  env: NodeJS.ProcessEnv;
}

/** One line of the table: a name, and a small function that looks. It makes nothing and leaves nothing behind. */
export interface DoctorCheck {
  name: string;
  look: (context: DoctorContext) => Finding | Promise<Finding>;
}

export function doctorContext(options: { results?: string; address?: string }): DoctorContext {
  const { project, configError } = openLeniently(options.results);
  const { state, cache } = plannedHomes();
  return {
    project,
    configError,
    state,
    cache,
    engine: projectState(project.resultsPath, state).folder,
    address: options.address,
    env: process.env,
  };
}

function openLeniently(results?: string): { project: Project; configError: UsageError | null } {
  try {
    return { project: openProject(results), configError: null };
  } catch (error) {
    // Also what is no file that can be read: whatever it is, the other checks go on.
    const configError =
      error instanceof UsageError ? error : new UsageError('config_invalid', (error as Error).message);
    return { project: projectByDefault(results), configError };
  }
}
