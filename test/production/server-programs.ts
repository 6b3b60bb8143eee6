import { findTemporal } from '../../src/engine/find-temporal.js';
import { NotHere, provideProgram } from './executables.js';
import { postgresPrograms } from './postgres.js';
import type { Programs } from './stack.js';

/** The programs of a Temporal server on PostgreSQL, built if they are not cached and there is time. @throws NotHere */
export async function serverPrograms(report: (text: string) => void, secondsToBuild?: number): Promise<Programs> {
  if (process.platform !== 'linux') throw new NotHere('these tests are made for Linux');
  postgresPrograms(); // throws before anything is built for nothing
  return {
    server: await provideProgram('server', report, secondsToBuild),
    sqlTool: await provideProgram('sqlTool', report, secondsToBuild),
    temporal: (await findTemporal(report)).path,
  };
}
