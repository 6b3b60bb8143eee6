import { requireSharedProject } from '../../store/shared/shared-project.js';
import type { Signs, SignsInput } from '../../workflows/protocol.js';
import type { Deps } from '../step/deps.js';
import { readHost } from '../../store/shared/host-records.js';

/** Reads the newest signs of life of hosts. */
export const readSigns =
  ({ resultsPath }: Pick<Deps, 'resultsPath'>) =>
  async ({ hosts }: SignsInput): Promise<Signs> => {
    const { store } = await requireSharedProject(resultsPath);
    const signs = hosts.map(async (id) => [id, (await readHost(store, id))?.sign ?? null] as const);
    return Object.fromEntries(await Promise.all(signs));
  };
