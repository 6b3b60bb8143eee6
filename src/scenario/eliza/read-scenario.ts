import type { ProblemAt } from '#input';
import { DEFAULT_VARIANT } from '#model';
import type { ScenarioReader } from '../reader.js';
import { checksNothing } from '../scenario.js';
import { loadYaml } from '../yaml/load-yaml.js';
import { ElizaFile } from './schema.js';
import { filePathOf, toScenario } from './to-scenario.js';

/** The runner of ElizaOS refuses such files, too. */
export const NO_EVALUATIONS = 'nothing is checked; add evaluations, to a step or at the top level';

/** Reads a scenario in the form of the ElizaOS scenario runner. */
export const readScenario: ScenarioReader = (name, text) => {
  const loaded = loadYaml(ElizaFile, name, text);
  if (!loaded.ok) return loaded;
  const { value: file } = loaded;
  const scenario = toScenario(file);
  const problemAt: ProblemAt = (path, ...what) => loaded.problemAt(filePathOf(file, path), ...what);
  if (checksNothing(scenario, false))
    return { ok: false, problems: [loaded.problemAt(['run'], NO_EVALUATIONS)] };
  return {
    ok: true,
    value: {
      scenario,
      variants: [{ variant: DEFAULT_VARIANT, scenario, env: {}, targetBinary: null, problemAt }],
    },
    problemAt,
  };
};
