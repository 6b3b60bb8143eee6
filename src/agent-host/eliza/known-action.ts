import type { Runtime } from './core.js';

const folded = (name: string): string => name.toLowerCase().replaceAll('_', '');

/** Whether a runtime finds an action for a name that its model has written. It also accepts parts of names. */
export function isKnownAction({ actions }: Pick<Runtime, 'actions'>, written: string): boolean {
  const wanted = folded(written);
  return actions.some(({ name, similes = [] }) =>
    [name, ...similes].map(folded).some((known) => known.includes(wanted) || wanted.includes(known)),
  );
}
