import { matrixGivenAsScenario } from './eliza/mistaken-form.js';
import { readScenario as readElizaScenario } from './eliza/read-scenario.js';
import type { ScenarioReader } from './reader.js';
import { readScenario } from './yaml/read-scenario.js';

/** Reads a scenario file in the form that its name and content indicate. */
export const loadScenario: ScenarioReader = (file, text) => {
  const loaded = isElizaForm(file, text) ? readElizaScenario(file, text) : readScenario(file, text);
  const mistaken = loaded.ok ? null : matrixGivenAsScenario(file, text);
  return mistaken === null ? loaded : { ok: false, problems: [mistaken] };
};

const OWN_KEY = /^[{"']*(template_folder|task|target)["']?\s*:/m;

/** Whether a file is in the form of the ElizaOS scenario runner: named like one, and without the keys of our form. */
export const isElizaForm = (file: string, text: string): boolean =>
  /\.scenario\.ya?ml$/.test(file) && !OWN_KEY.test(text);
