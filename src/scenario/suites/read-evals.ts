import { z } from 'zod';
import { nonBlank } from '../../gates/fields.js';
import { workspaceFile } from '../fields.js';
import type { Loaded } from '../problems/source.js';
import { loadYaml } from '../yaml/load-yaml.js';
import type { Suite, SuiteCase } from './suite.js';

const texts = z.array(nonBlank('a statement about the result'));

/** `evals/evals.json`, by the guide of the Agent Skills standard. `expectations` is another name for `assertions`. */
const Evals = z.strictObject({
  skill_name: z.string().exactOptional(),
  evals: z.array(
    z.strictObject({
      id: z.union([z.int(), nonBlank('an id')]),
      prompt: nonBlank('a prompt'),
      expected_output: z.string().exactOptional(),
      files: z.array(workspaceFile).exactOptional(),
      assertions: texts.exactOptional(),
      expectations: texts.exactOptional(),
    }),
  ),
});

/** Reads an evals.json. Never throws: every error is a problem with line and column in `file`. */
export function readEvals(file: string, text: string): Loaded<Suite> {
  const loaded = loadYaml(Evals, file, text); // JSON is YAML
  if (!loaded.ok) return loaded;
  const { skill_name: skill = null, evals } = loaded.value;
  const cases = evals.map(
    ({ id, prompt, expected_output = '', files = [], assertions = [], expectations = [] }): SuiteCase => ({
      ...{ id, prompt, files, assertions: [...assertions, ...expectations] },
      ...(expected_output.trim() === '' ? {} : { expected: expected_output }),
    }),
  );
  return { ...loaded, value: { skill, cases } };
}

/** Writes a suite as evals.json. What only prompt lists have is left out. */
export function writeEvals({ skill, cases }: Suite): string {
  const evals = cases.map(({ id, prompt, expected, files, assertions }) => ({
    ...{ id, prompt },
    ...(expected === undefined ? {} : { expected_output: expected }),
    ...(files.length === 0 ? {} : { files }),
    ...(assertions.length === 0 ? {} : { assertions }),
  }));
  return `${JSON.stringify({ ...(skill === null ? {} : { skill_name: skill }), evals }, null, 2)}\n`;
}
