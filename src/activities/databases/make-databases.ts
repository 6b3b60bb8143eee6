import { createDatabase, performSql, PostgresRefusal } from '#host';
import type { RunContext } from '../step/run-context.js';
import type { Fence } from '../step/fence.js';
import { noteDatabase } from './note.js';

/** How a message names a database of the scenario. */
export const databaseAt = ({ scenario }: Pick<RunContext, 'scenario'>, index: number): string =>
  scenario.databases?.length === 1 ? 'setup.database' : `setup.database[${index}]`;

/**
 * Makes and fills the databases of a run on servers, from scratch each time. Returns what is wrong with the scenario,
 * or null.
 * @throws Error if a server cannot be used now; a later attempt may succeed
 */
export async function makeDatabases(
  context: RunContext,
  fence: Fence,
  signal: AbortSignal,
): Promise<string | null> {
  const { state, onServers } = context;
  const [invalid] = onServers.invalid;
  if (invalid !== undefined)
    return `setup.database: the value of ${invalid} is not an address like postgres://user@host:5432`;
  for (const { index, name, written, server, address, sql } of onServers.databases) {
    await noteDatabase(state, { name, written });
    await fence.check();
    try {
      await createDatabase(server, name, signal);
      const problem = await performSql(address, sql, signal);
      if (problem !== null) return `${databaseAt(context, index)}.sql: ${problem}`;
    } catch (error) {
      if (error instanceof PostgresRefusal) return `${databaseAt(context, index)}.postgres: ${error.message}`;
      throw error;
    }
  }
  return null;
}
