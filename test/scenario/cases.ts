import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseTOML } from 'toml-eslint-parser';
import { parse as parseYaml } from 'yaml';
import type { z } from 'zod';
import { Config, parseConfig } from '../../src/scenario/config.js';
import { loadScenarioFile } from '../../src/scenario/yaml/read-scenario.js';
import { Rubric } from '../../src/gates/judge/rubric.js';
import { loadRubric } from '../../src/scenario/yaml/load-yaml.js';
import { ScenarioFile } from '../../src/scenario/yaml/schema.js';
import type { Loaded } from '../../src/input/source.js';
import { tomlSource } from '../../src/scenario/load-toml.js';

/** A kind of file that users write. Its cases are `<folder>/valid/*` and `<folder>/invalid/*`. */
export interface Kind {
  name: string;
  folder: string;
  schema: z.ZodType;
  load: (file: string, text: string) => Loaded<unknown>;
  /** The plain value of a text; throws if it has none. */
  parse: (text: string) => unknown;
}

const yaml = (text: string): unknown => parseYaml(text, { logLevel: 'silent' });

export const scenarios: Kind = {
  name: 'scenario',
  folder: 'cases',
  schema: ScenarioFile,
  load: loadScenarioFile,
  parse: yaml,
};

export const kinds: Kind[] = [
  scenarios,
  {
    name: 'config',
    folder: 'cases/config',
    schema: Config,
    load: parseConfig,
    // Not by the library's own conversion, which assigns to `__proto__`.
    parse: (text) => tomlSource('', parseTOML(text)).source.value,
  },
  { name: 'rubric', folder: 'cases/rubric', schema: Rubric, load: loadRubric, parse: yaml },
];

/** A file of `test/scenario/cases`. */
export interface Case {
  /** The path, relative to `test/scenario/`. */
  file: string;
  text: string;
}

export function casesOf({ folder }: Kind, validity: 'valid' | 'invalid'): Case[] {
  const path = join(folder, validity);
  return readdirSync(join(import.meta.dirname, path)).map((name) => ({
    file: join(path, name),
    text: readFileSync(join(import.meta.dirname, path, name), 'utf8'),
  }));
}
