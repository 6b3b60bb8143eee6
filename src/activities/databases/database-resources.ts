import { dropDatabase, serverOf } from '#host';
import { interpolate } from '#lib';
import type { Resource } from '../teardown/tear-down.js';
import { forgetDatabase, notedDatabases } from './note.js';

const DROP_MS = 15_000;

/** The databases of a run that may exist on servers. `values`: those of the variables in the servers' addresses. */
export async function databaseResources(
  state: string,
  values: Readonly<Record<string, string | undefined>>,
): Promise<Resource[]> {
  return (await notedDatabases(state)).map(({ name, written }) => {
    const filled = interpolate(written, values);
    const server = filled.ok && URL.canParse(filled.text) ? serverOf(filled.text) : written;
    return {
      name: `PostgreSQL database ${name} at ${server}`,
      remedy: `DROP DATABASE ${name}`,
      remove: async () => {
        if (!filled.ok)
          throw new Error(
            `not set: ${filled.missing.join(', ')}; set it in the shell of \`engine start\` to drop it`,
          );
        await dropDatabase(filled.text, name, AbortSignal.timeout(DROP_MS));
        forgetDatabase(state, name);
      },
    };
  });
}
