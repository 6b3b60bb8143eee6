import { chooseEnvironment } from '../../environments/index.js';
import type { Project } from '../project.js';
import { InfrastructureError, UsageError } from '../usage-error.js';
import type { Draft } from './draft-sweep.js';

/**
 * @throws UsageError for scenarios without a sandbox where the config requires one, InfrastructureError where this machine
 * has none
 */
export async function checkSandbox({ config }: Project, { scenarios }: Draft): Promise<void> {
  if (!config.require_sandbox) return;
  const without = scenarios.filter(({ effective }) => effective.scenario.environment.type === 'local');
  if (without.length > 0) {
    const names = [...new Set(without.map(({ effective }) => effective.scenario.name))].join(', ');
    throw new UsageError(
      'sandbox_required',
      `require_sandbox in the config, and environment.type is local in ${names}; set it to bubblewrap or auto`,
    );
  }
  const { lacking, lacksNetwork } = await chooseEnvironment('bubblewrap');
  const missing = lacking ?? lacksNetwork;
  if (missing !== null) throw new InfrastructureError(`require_sandbox in the config: ${missing}`);
}
