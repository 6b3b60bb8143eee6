import type { Action, Runtime } from './core.js';

const folded = (name: string): string => name.toLowerCase().replaceAll('_', '');

/** The action that a runtime executes for a name that its model has written; undefined: none. It accepts parts of names. */
export function actionNamed({ actions }: Pick<Runtime, 'actions'>, written: string): Action | undefined {
  const wanted = folded(written);
  const isLike = (name: string): boolean => folded(name).includes(wanted) || wanted.includes(folded(name));
  const found =
    actions.find(({ name }) => folded(name) === wanted) ??
    actions.find(({ name }) => isLike(name)) ??
    actions.find(({ similes = [] }) => similes.some(isLike));
  return typeof found?.handler === 'function' ? found : undefined;
}
