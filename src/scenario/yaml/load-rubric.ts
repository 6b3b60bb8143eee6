import { Rubric } from '../rubric.js';
import type { Loaded } from '../../input/source.js';
import { loadYaml } from './load-yaml.js';

/** Reads a rubric file. */
export const loadRubric = (file: string, text: string): Loaded<Rubric> => loadYaml(Rubric, file, text);
