import type { Agent } from './agent.js';
import { hostedAgent } from './host-launch.js';
import type { AgentSettings } from './settings.js';

/** A real ElizaOS runtime, with the character and plugins of the scenario. */
export const eliza = (settings: AgentSettings): Agent =>
  hostedAgent({ name: 'eliza', kind: 'eliza', module: null }, settings);
