import type { ScenarioReader } from './reader.js';
import { readScenario } from './yaml/read-scenario.js';

/** Reads a scenario file. A second form of file is told from the first here. */
export const loadScenario: ScenarioReader = readScenario;
