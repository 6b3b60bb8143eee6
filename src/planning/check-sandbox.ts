import { dirname } from 'node:path';
import { E2B_KEY, optionsInShell } from '../environments/e2b/variables.js';
import type { Place } from '../environments/index.js';
import type { Project } from './project.js';
import { InfrastructureError, UsageError } from '../lib/errors/usage-error.js';
import { isApart, type Scenario } from '../scenario/scenario.js';
import type { ResolvedSweep } from './resolve-sweep.js';

/** Loads the environments only when a scenario or the config needs one checked: they take a tenth of a second to load. */
async function placeFor(
  environment: Scenario['environment'],
  folders: readonly (string | null)[] = [],
): Promise<Place> {
  const { chooseEnvironment } = await import('../environments/index.js');
  return chooseEnvironment(environment, folders);
}

/**
 * Checks `require_sandbox` of the config.
 *
 * @throws UsageError if a scenario has no sandbox, InfrastructureError if sandboxes do not work on this machine
 */
export async function checkSandbox(project: Project, { scenarios }: ResolvedSweep): Promise<void> {
  checkSandboxRequired(project, { scenarios });
  if (!project.config.require_sandbox) return;
  if (scenarios.every(({ effective }) => isApart(effective.scenario.environment))) return;
  const { lacking, lacksNetwork } = await placeFor({ type: 'bubblewrap' });
  const missing = lacking ?? lacksNetwork;
  if (missing !== null) throw new InfrastructureError(`the config file sets require_sandbox: ${missing}`);
}

/** @throws UsageError if the config requires sandboxes, and a scenario has none */
export function checkSandboxRequired(
  { config }: Project,
  { scenarios }: Pick<ResolvedSweep, 'scenarios'>,
): void {
  if (!config.require_sandbox) return;
  const without = scenarios.filter(({ effective }) => effective.scenario.environment.type === 'local');
  if (without.length > 0) {
    const names = [...new Set(without.map(({ effective }) => effective.scenario.name))].join(', ');
    throw new UsageError(
      'sandbox_required',
      `the config file sets require_sandbox, but environment.type is local in ${names}; set it to bubblewrap, auto, docker or e2b`,
    );
  }
}

/** @throws InfrastructureError if a container cannot be made: the command line, its daemon or the image is missing */
export async function checkContainers({ scenarios }: Pick<ResolvedSweep, 'scenarios'>): Promise<void> {
  const wanted = new Map(
    scenarios.map(({ effective }) => {
      const { environment } = effective.scenario;
      return [JSON.stringify(environment), environment];
    }),
  );
  for (const environment of wanted.values()) {
    if (environment.type !== 'docker') continue;
    const { lacking } = await placeFor(environment);
    if (lacking !== null) throw new InfrastructureError(`environment.type docker: ${lacking}`);
  }
}

/**
 * Checks what runs in sandboxes of E2B need: the package, the key, and the service.
 *
 * @throws UsageError at its place in the scenario file if the package or the key is missing, or the key is refused;
 * InfrastructureError if the service does not answer
 */
export async function checkCloudSandboxes(
  { configFile, root, resultsPath }: Project,
  { scenarios }: Pick<ResolvedSweep, 'scenarios'>,
  values: NodeJS.ProcessEnv,
): Promise<void> {
  const inCloud = scenarios.filter(({ effective }) => effective.scenario.environment.type === 'e2b');
  const [first] = inCloud;
  if (first === undefined) return;
  const refuse = (why: string): never => {
    const message = `environment.type e2b: ${why}`;
    const problems = inCloud.map(({ variant }) => variant.problemAt(['environment', 'type'], message));
    const texts = new Map(inCloud.map(({ selected }) => [selected.file, selected.text]));
    throw new UsageError('sandbox_unusable', message, problems, texts);
  };
  // As in a run, which knows the project only if it has a config file.
  const folders = [configFile === null ? null : root, dirname(resultsPath)];
  const { lacking, sandbox } = await placeFor(first.effective.scenario.environment, folders);
  if (lacking !== null) refuse(lacking);
  if ((values[E2B_KEY] ?? '') === '')
    refuse(`${E2B_KEY} is not set; export it, or name a file that sets it with --env-file`);
  const { tryE2b } = await import('../environments/e2b/try-e2b.js');
  const failure = await tryE2b(sandbox?.module ?? '', optionsInShell(values));
  if (failure === null) return;
  if (failure.isFinal) refuse(failure.why);
  throw new InfrastructureError(`environment.type e2b: ${failure.why}`);
}
