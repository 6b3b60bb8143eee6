import { plannedHomes, projectState } from '#host';
import { type Limits, limitsOf, UsageError } from '#lib';
import { openProject, type Project, projectByDefault } from '#planning';
import type { Finding } from '#reports';

/** The input of checks. */
export interface DoctorContext {
  /** Has the default config if the config file is invalid, so that the other checks can run. */
  project: Project;
  configError: UsageError | null;
  state: string;
  cache: string;
  /** The private folder of this results folder's engine. */
  engine: string;
  address: string | undefined;
  env: NodeJS.ProcessEnv;
  limits: Limits;
}

/** One line of the table: a name, and a small function that performs the check and leaves nothing behind. */
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
    limits: limitsOf(process.env),
  };
}

function openLeniently(results?: string): { project: Project; configError: UsageError | null } {
  try {
    return { project: openProject(results), configError: null };
  } catch (error) {
    // Also if the file cannot be read: whatever the error is, the other checks must run.
    const configError =
      error instanceof UsageError ? error : new UsageError('config_invalid', (error as Error).message);
    return { project: projectByDefault(results), configError };
  }
}
