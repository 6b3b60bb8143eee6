import { loadYaml } from './load-yaml.js';
import { Scenario } from './schema.js';
import type { Loaded } from './source.js';

/** Reads a scenario file. */
export const loadScenario = (file: string, text: string): Loaded<Scenario> => loadYaml(Scenario, file, text);
