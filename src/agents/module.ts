import type { Agent } from './agent.js';
import { hostedAgent } from './host-launch.js';
import type { AgentSettings } from './settings.js';

/** An agent that the config defines as a JavaScript or TypeScript module, whose path must be absolute by now. */
export const moduleAgent = (name: string, module: string, settings: AgentSettings): Agent =>
  hostedAgent({ name, kind: 'module', module }, settings);
