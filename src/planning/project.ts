import { existsSync } from 'node:fs';
import { mkdtemp, rmdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { displayPath, folderAbove, nearestExisting } from '#host';
import type { ProblemAt } from '#input';
import { addPathToFullDiskError, isFull, UsageError } from '#lib';
import { type Config, defaultConfig, parseConfig, withRegistered } from '#scenario';
import { isBucket } from '#store';
import { CONFIG_FILE, loadText } from './file-checks.js';

/** A command's project: its folders, and the config file in the working folder or the nearest folder above it. */
export interface Project {
  /** Folder of the config file; the working folder if there is none. */
  root: string;
  config: Config;
  configFile: string | null;
  /** For reporting problems at places in a config file that is valid by itself. Null if there is no file. */
  configSource: { file: string; text: string; problemAt: ProblemAt } | null;
  resultsPath: string;
  fixturesPath: string;
}

type ReadConfig = Pick<Project, 'config' | 'configSource'>;
const NO_CONFIG: ReadConfig = { config: defaultConfig, configSource: null };

function findConfig(from: string): string | null {
  const folder = folderAbove(from, (folder) => existsSync(join(folder, CONFIG_FILE)));
  return folder === null ? null : join(folder, CONFIG_FILE);
}

/** Finds the config file, from the working folder upwards, and reads it. @throws UsageError if it is invalid */
export function openProject(resultsFlag?: string, from: string = process.cwd()): Project {
  const configFile = findConfig(from);
  const read = configFile === null ? NO_CONFIG : readConfig(configFile);
  return projectOf(configFile, read, resultsFlag);
}

/** The project with the default config, for commands that must work even if the config file is invalid. */
export const projectByDefault = (resultsFlag?: string): Project =>
  projectOf(findConfig(process.cwd()), NO_CONFIG, resultsFlag);

function projectOf(
  configFile: string | null,
  { config, configSource }: ReadConfig,
  resultsFlag: string | undefined,
): Project {
  const root = configFile === null ? process.cwd() : dirname(configFile);
  const given = resultsFlag ?? (process.env['LLM_TOOL_TEST_RESULTS'] || undefined);
  return {
    root,
    config,
    configFile,
    configSource,
    resultsPath: given === undefined ? placeOf(config.results_path, root) : placeOf(given, process.cwd()),
    fixturesPath: resolve(root, config.fixtures_path),
  };
}

/** A bucket is no path. */
const placeOf = (results: string, from: string): string => (isBucket(results) ? results : resolve(from, results));

function readConfig(file: string): ReadConfig {
  const shown = displayPath(file);
  const read = loadText(file);
  if (!read.ok) {
    const { reason, line, column } = read;
    const problem = { file: shown, line, column, path: '', message: reason };
    throw new UsageError('config_invalid', `${shown} cannot be read: ${reason}`, [problem]);
  }
  const { text } = read;
  const loaded = parseConfig(shown, text);
  if (loaded.ok) {
    const { value, problemAt } = loaded;
    const source = { file: shown, text, problemAt };
    const agents = Object.entries(value.agents).map(([name, table]) => [name, withRegistry(file, source, name, table)]);
    return { config: { ...value, agents: Object.fromEntries(agents) as Config['agents'] }, configSource: source };
  }
  throw new UsageError('config_invalid', `${shown} is not valid`, loaded.problems, new Map([[shown, text]]));
}

/** Returns the settings of an agent with the start that its registry has, if it names one. */
function withRegistry(
  configFile: string,
  { file, text, problemAt }: NonNullable<Project['configSource']>,
  name: string,
  table: Config['agents'][string],
): Config['agents'][string] {
  if (table.registry === undefined) return table;
  const path = resolve(dirname(configFile), table.registry.file);
  const shown = displayPath(path);
  const read = loadText(path);
  if (!read.ok) {
    const problem = problemAt(['agents', name, 'registry', 'file'], `${shown} cannot be read: ${read.reason}`);
    throw new UsageError('config_invalid', `${file} is not valid`, [problem], new Map([[file, text]]));
  }
  const found = withRegistered(table, shown, read.text);
  if (found.ok) return found.value;
  throw new UsageError('config_invalid', `${shown} is not valid`, found.problems, new Map([[shown, read.text]]));
}

/** In bytes. Linux allows 4,096 bytes for a path; the files of runs need the rest. */
const LONGEST_RESULTS = 3000;

/**
 * Returns why a folder, which need not exist yet, cannot be written to. Null if it can. Leaves no files behind.
 *
 * @throws if the disk is full
 */
export async function writeProblem(folder: string): Promise<string | null> {
  const existing = nearestExisting(folder);
  // Files inside it have long names too.
  if (Buffer.byteLength(folder) > LONGEST_RESULTS || folder.split('/').some((name) => Buffer.byteLength(name) > 255))
    return 'its path is too long';
  // Tries to write, because permissions do not restrict root and do not reveal a read-only file system.
  try {
    await rmdir(await mkdtemp(join(existing, '.llm-tool-test-')));
    return null;
  } catch (error) {
    if (isFull(error)) throw addPathToFullDiskError(error, existing);
    return (error as NodeJS.ErrnoException).code === 'ENOTDIR'
      ? `${existing} is not a folder`
      : (error as Error).message;
  }
}

/** @throws UsageError if results cannot be written to the folder */
export async function checkWritable(folder: string): Promise<void> {
  const reason = await writeProblem(folder);
  if (reason === null) return;
  throw new UsageError(
    'results_unwritable',
    `results cannot be written to ${folder}: ${reason}; choose another folder with --results or results_path in ${CONFIG_FILE}`,
  );
}
