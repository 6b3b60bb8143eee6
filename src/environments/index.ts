import type { Environment } from './environment.js';
import { local } from './local.js';

/** Every place that a scenario's `environment.type` can name. */
export const environments: Record<'local', Environment> = { local };
