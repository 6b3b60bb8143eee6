import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isExecutable } from '#host';
import { databaseFile, type EngineState } from './engine-state.js';
import { findTemporal, TemporalNotFound, temporalVersion, type TemporalExecutable } from './find-temporal.js';

const VERSION_MS = 30_000;

/**
 * Returns the Temporal CLI for an engine: the one whose server created its database, whatever is on this shell's PATH.
 * A server of another version would create an empty database beside it, and open sweeps would start over.
 *
 * @throws TemporalNotFound
 */
export async function chooseTemporal(
  folder: string,
  { temporal, versions }: Pick<EngineState, 'temporal' | 'versions'>,
  report: (text: string) => void,
  signal?: AbortSignal,
): Promise<TemporalExecutable> {
  const version = temporal?.version ?? versions.temporal ?? newestDatabase(folder);
  if (version === null || !existsSync(databaseFile(folder, version))) return findTemporal(report, signal);
  for (const path of [process.env['LLM_TOOL_TEST_TEMPORAL_BIN'], temporal?.path]) {
    if (path === undefined || !(await isExecutable(path))) continue;
    if ((await versionOf(path, signal)) === version) return { path, version };
  }
  const found = await findTemporal(report, signal);
  if (found.version === version) return found;
  throw new TemporalNotFound(
    [
      `the engine's database was made by Temporal server ${version}, but ${found.path} is ${found.version}, which would create an empty one: open sweeps would start over.`,
      `Set LLM_TOOL_TEST_TEMPORAL_BIN to a Temporal CLI with server ${version};`,
      `or, if no sweep is open, delete ${databaseFile(folder, version)}`,
    ].join('\n'),
  );
}

/** null if its version command fails. */
const versionOf = (path: string, signal?: AbortSignal): Promise<string | null> =>
  temporalVersion(path, VERSION_MS, signal).catch(() => null);

/** Returns the version of the most recently written database, for an engine without state; null if there is none. */
function newestDatabase(folder: string): string | null {
  const found = readdirSync(folder).flatMap((name) => {
    const version = /^temporal-(.+)\.db$/.exec(name)?.[1];
    return version === undefined ? [] : [{ version, at: statSync(join(folder, name)).mtimeMs }];
  });
  return found.sort((a, b) => b.at - a.at)[0]?.version ?? null;
}
