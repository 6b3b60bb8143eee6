import type { Signs, SignsInput } from '#protocol';
import { readHost, requireSharedProject } from '#store';
import type { Deps } from '../step/deps.js';

/** Reads the newest signs of life of hosts. */
export const readSigns =
  ({ resultsPath }: Pick<Deps, 'resultsPath'>) =>
  async ({ hosts }: SignsInput): Promise<Signs> => {
    const { store } = await requireSharedProject(resultsPath);
    const signs = hosts.map(async (id) => [id, (await readHost(store, id))?.sign ?? null] as const);
    return Object.fromEntries(await Promise.all(signs));
  };
