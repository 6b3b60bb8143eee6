import { isMap, parseJson } from '#lib';
import { CannotSetUp } from '../events.js';
import { SOURCE } from './observe.js';
import { temperatureOf, type AskModel } from '../model.js';
import type { Runtime } from './core.js';

const TEXT = ['TEXT_SMALL', 'TEXT_LARGE', 'TEXT_COMPLETION', 'REASONING_SMALL', 'REASONING_LARGE'];
const OBJECT = ['OBJECT_SMALL', 'OBJECT_LARGE'];
/** More than that of any plugin. */
const PRIORITY = 1e9;

/** Lets the cell's model answer all questions for text and objects. The plugins' models answer the others. */
export function replaceModels(runtime: Runtime, ask: AskModel): void {
  const question = (parameters: Record<string, unknown>) => ({
    system: text(parameters['system']) ?? runtime.character.system,
    prompt: text(parameters['prompt']) ?? '',
  });
  for (const type of TEXT) runtime.registerModel(type, (_, parameters) => ask(question(parameters)), SOURCE, PRIORITY);
  for (const type of OBJECT)
    runtime.registerModel(type, async (_, parameters) => objectIn(await ask(question(parameters))), SOURCE, PRIORITY);
}

/** Gives the models of plugins the temperature that the character sets, too. */
export function setTemperature(runtime: Runtime): void {
  const temperature = temperatureOf(runtime.character);
  if (temperature === undefined) return;
  const useModel = runtime.useModel.bind(runtime);
  runtime.useModel = (type, parameters, ...more) =>
    useModel(
      type,
      [...TEXT, ...OBJECT].includes(type) && isMap(parameters) ? { ...parameters, temperature } : parameters,
      ...more,
    );
}

/** @throws CannotSetUp if nothing can answer */
export function requireModel(runtime: Runtime): void {
  if (runtime.getModel('TEXT_LARGE') === undefined)
    throw new CannotSetUp(
      'none of the plugins has a model for text (TEXT_LARGE); add a plugin that has one, or name a model: --models provider/model',
    );
}

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** The JSON object in an answer, which may have text around it. */
function objectIn(answer: string): unknown {
  const object = parseJson(answer.slice(answer.indexOf('{'), answer.lastIndexOf('}') + 1));
  if (object === undefined) throw new Error('the answer of the model contains no JSON object');
  return object;
}
