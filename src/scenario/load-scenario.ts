import type { ScenarioReader } from './reader.js';
import { readScenario } from './yaml/read-scenario.js';

/** Reads a scenario file. With another form of file, this would choose the reader. */
export const loadScenario: ScenarioReader = readScenario;
