import type { Place } from '../environments/index.js';
import type { Project } from './project.js';
import { InfrastructureError, UsageError } from '../lib/errors/usage-error.js';
import type { Scenario } from '../scenario/scenario.js';
import type { ResolvedSweep } from './resolve-sweep.js';

/** Loads the environments only when a scenario or the config needs one checked: they take a tenth of a second to load. */
async function placeFor(environment: Scenario['environment']): Promise<Place> {
  const { chooseEnvironment } = await import('../environments/index.js');
  return chooseEnvironment(environment);
}

/**
 * Checks `require_sandbox` of the config.
 *
 * @throws UsageError if a scenario has no sandbox, InfrastructureError if sandboxes do not work on this machine
 */
export async function checkSandbox({ config }: Project, { scenarios }: ResolvedSweep): Promise<void> {
  if (!config.require_sandbox) return;
  const without = scenarios.filter(({ effective }) => effective.scenario.environment.type === 'local');
  if (without.length > 0) {
    const names = [...new Set(without.map(({ effective }) => effective.scenario.name))].join(', ');
    throw new UsageError(
      'sandbox_required',
      `the config file sets require_sandbox, but environment.type is local in ${names}; set it to bubblewrap, auto or docker`,
    );
  }
  if (scenarios.every(({ effective }) => effective.scenario.environment.type === 'docker')) return;
  const { lacking, lacksNetwork } = await placeFor({ type: 'bubblewrap' });
  const missing = lacking ?? lacksNetwork;
  if (missing !== null) throw new InfrastructureError(`the config file sets require_sandbox: ${missing}`);
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
