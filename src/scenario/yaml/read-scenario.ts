import type { ScenarioReader } from '../reader.js';
import { loadScenarioFile } from './load-scenario-file.js';
import { filePathOf, toScenario } from './to-scenario.js';
import { vary } from './vary.js';

/** Reads a scenario in the current YAML form. */
export const readScenario: ScenarioReader = (name, text) => {
  const loaded = loadScenarioFile(name, text);
  if (!loaded.ok) return loaded;
  const { value: file, problemAt } = loaded;
  return {
    ok: true,
    value: {
      scenario: toScenario(file),
      variants: vary(file).map(({ variant, file: varied, env, targetBinary, at }) => ({
        ...{ variant, env, targetBinary },
        scenario: toScenario(varied),
        problemAt: (path, ...what) => problemAt(at(filePathOf(varied, path)), ...what),
      })),
    },
    problemAt: (path, ...what) => problemAt(filePathOf(file, path), ...what),
  };
};
