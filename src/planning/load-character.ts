import { dirname, resolve } from 'node:path';
import type { Problem } from '../lib/errors/problem.js';
import { isJsonObject, parseJson } from '../lib/json.js';
import { Character } from '../scenario/eliza/runtime-fields.js';
import { modelsOf } from '../scenario/eliza/to-runtime.js';
import { check } from '../scenario/problems/check.js';
import type { ProblemAt } from '../scenario/problems/source.js';
import type { Scenario } from '../scenario/scenario.js';
import { parseYaml } from '../scenario/yaml/load-yaml.js';
import { displayPath } from '../platform/display-path.js';
import { loadText } from './file-checks.js';

/**
 * Replaces the path of a JSON file with the character in it, so that the plan contains what is tested. Modules are loaded
 * only when they run.
 */
export function loadCharacter(
  scenarioPath: string,
  scenario: Scenario,
  problemAt: ProblemAt,
): { scenario: Scenario; problems: Problem[] } {
  const { runtime } = scenario;
  const path = runtime?.character ?? null;
  if (runtime === undefined || typeof path !== 'string' || !path.endsWith('.json'))
    return { scenario, problems: [] };
  const unusable = (reason: string) => ({
    scenario,
    problems: [
      problemAt(
        ['runtime', 'character'],
        `the character '${path}' ${reason}; paths are relative to the scenario file`,
      ),
    ],
  });
  const file = resolve(dirname(scenarioPath), path);
  const read = loadText(file);
  if (!read.ok) return unusable(`cannot be read: ${read.reason}`);
  const character = parseJson(read.text);
  if (!isJsonObject(character)) return unusable('is not a JSON object');
  const { source } = parseYaml(displayPath(file), read.text); // JSON is YAML, and this knows the place of each value
  const checked = source === null ? null : check(Character, source);
  if (checked?.ok === false) return { scenario, problems: checked.problems };
  const models = modelsOf(character);
  return {
    scenario: {
      ...scenario,
      runtime: { ...runtime, character },
      agents: scenario.agents.map((one) => ({ ...one, models })),
    },
    problems: [],
  };
}
