import { basename } from 'node:path';
import type { Loaded } from '#input';
import { fileProblem } from '#lib';
import { matrixGivenAsScenario } from './eliza/matrix.js';
import { readScenario as readElizaScenario } from './eliza/to-scenario.js';
import type { ScenarioReader } from './reader.js';
import { formOf, recognize, SCENARIO_ENDING } from './recognize.js';
import { readTask } from './task/read-task.js';
import { isTaskFile } from './task/task-name.js';
import { readScenario } from './yaml/read-scenario.js';

/** Reads a scenario file in the form that its name and content indicate. */
export const loadScenario: ScenarioReader = (file, text, look) => {
  if (isTaskFile(file)) return readTask(file, text, look);
  const loaded = loadInItsForm(file, text);
  const mistaken = loaded.ok ? null : matrixGivenAsScenario(file, text);
  return mistaken === null ? loaded : { ok: false, problems: [mistaken] };
};

const loadInItsForm: ScenarioReader = (file, text) => {
  switch (formOf(file, text)) {
    case 'eliza':
      return readElizaScenario(file, text);
    case 'misnamed': {
      const name = basename(file).replace(SCENARIO_ENDING, '.scenario$&');
      return refused(file, `only files named *.scenario.yaml are read in the form of ElizaOS; rename it to ${name}`);
    }
    case 'own': {
      const loaded = readScenario(file, text);
      if (loaded.ok) return loaded;
      const look = recognize(file, text);
      if (look.kind === 'other' && look.isKnown) return refused(file, `expected a scenario; this is ${look.what}`);
      if (look.kind !== 'unclear') return loaded;
      return { ...loaded, problems: loaded.problems.map((one, at) => (at === 0 ? withRemedy(one) : one)) };
    }
  }
};

const withRemedy = <P extends { message: string }>(problem: P): P => ({
  ...problem,
  message: `${problem.message}; a file that is no scenario belongs into another folder`,
});

const refused = (file: string, message: string): Loaded<never> => ({
  ok: false,
  problems: [fileProblem(file, message)],
});
