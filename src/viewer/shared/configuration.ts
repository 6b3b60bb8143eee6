import type { SweepCell } from '#decide';

type ConfigurationOfCell = Pick<SweepCell, 'scenario' | 'variant' | 'agent' | 'model'>;

/** Identifies what repetitions have in common. */
export const selectionKey = ({ scenario, variant, agent, model }: ConfigurationOfCell): string =>
  JSON.stringify([scenario, variant, agent, model]);

/** An agent with its model, as one name. */
export const agentName = ({ agent, model }: Pick<ConfigurationOfCell, 'agent' | 'model'>): string =>
  model === 'default' ? agent : `${agent}/${model}`;
