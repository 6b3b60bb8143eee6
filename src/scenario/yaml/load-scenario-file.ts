import type { Loaded } from '#input';
import { loadYaml } from './load-yaml.js';
import { ScenarioFile } from './schema.js';

/** Reads a scenario file in its YAML form, without converting it to a `Scenario`. */
export const loadScenarioFile = (file: string, text: string): Loaded<ScenarioFile> =>
  loadYaml(ScenarioFile, file, text);
