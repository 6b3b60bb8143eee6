import type { Loaded } from '../source.js';
import { loadYaml } from './load-yaml.js';
import { ScenarioFile } from './schema.js';

/** Reads a scenario file as it is written. */
export const loadScenarioFile = (file: string, text: string): Loaded<ScenarioFile> =>
  loadYaml(ScenarioFile, file, text);
