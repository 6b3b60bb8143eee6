import { bubblewrap, whyNoBubblewrap } from './bubblewrap.js';
import type { Environment, EnvironmentHandle } from './environment.js';
import { local } from './local.js';

/** Every place that a run can be in. */
export const environments: Record<EnvironmentHandle['type'], Environment> = { local, bubblewrap };

/** The place for a scenario's `environment.type`; `lacking`: why it has no sandbox though it asks for one. */
export async function chooseEnvironment(
  wanted: EnvironmentHandle['type'] | 'auto',
): Promise<{ type: EnvironmentHandle['type']; lacking: string | null }> {
  if (wanted === 'local') return { type: 'local', lacking: null };
  const lacking = await whyNoBubblewrap();
  return { type: wanted === 'auto' && lacking !== null ? 'local' : 'bubblewrap', lacking };
}
