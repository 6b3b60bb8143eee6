import { Rubric } from '#gates';
import type { Loaded } from '#input';
import { loadYaml } from './load-yaml.js';

/** Reads a rubric file. */
export const loadRubric = (file: string, text: string): Loaded<Rubric> => loadYaml(Rubric, file, text);
