import { problemIn } from '#input';
import { isMap, type Problem } from '#lib';
import { parseYaml } from '../yaml/load-yaml.js';

/** Keys of scenario files, in either form, that matrix files do not have. */
const SCENARIO_KEYS = ['run', 'steps', 'template_folder', 'task', 'target', 'agent'];

const isMatrix = (value: Record<string, unknown>): boolean =>
  ('base_scenario' in value || Array.isArray(value['matrix'])) && !SCENARIO_KEYS.some((key) => key in value);

const isScenario = (value: Record<string, unknown>): boolean =>
  !('base_scenario' in value) && !Array.isArray(value['matrix']) && SCENARIO_KEYS.some((key) => key in value);

/** The one problem of a matrix file that was given as a scenario; null if the file is none. */
export function matrixGivenAsScenario(file: string, text: string): Problem | null {
  const { source } = parseYaml(file, text);
  if (source === null || !isMap(source.value) || !isMatrix(source.value)) return null;
  const key = 'base_scenario' in source.value ? 'base_scenario' : 'matrix';
  return problemIn(
    source,
    [key],
    `this is a matrix file, not a scenario; run it with: llm-tool-test scenario matrix ${file} (--dry-run only checks it)`,
    'key',
  );
}

/** The one problem of a scenario file that was given as a matrix; null if the file is none. */
export function scenarioGivenAsMatrix(file: string, text: string): Problem | null {
  const { source } = parseYaml(file, text);
  if (source === null || !isMap(source.value) || !isScenario(source.value)) return null;
  const { value } = source;
  const [key = 'run'] = SCENARIO_KEYS.filter((one) => one in value);
  return problemIn(
    source,
    [key],
    `this is a scenario, not a matrix file; run it with: llm-tool-test run ${file}`,
    'key',
  );
}
