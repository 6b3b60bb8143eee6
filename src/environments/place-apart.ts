import type { EnvironmentHandle } from './environment.js';

/** What a person needs to know to find and remove a place that is not a folder of this machine. */
export interface PlaceApart {
  name: string;
  remedy: string;
}

/** Describes a place that does not share the host; null if it does. */
export function placeApart({ container }: EnvironmentHandle): PlaceApart | null {
  if (container === undefined) return null;
  const { command, name } = container;
  return { name: `${command} container ${name}`, remedy: `${command} rm --force --volumes ${name}` };
}
