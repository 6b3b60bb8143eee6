import { statSync } from 'node:fs';
import { mkdtemp, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { displayPath, nearestExisting, networkFileSystem, ownCommand, diskError } from '#host';
import { counted, diskRemedy, formatProblem } from '#lib';
import { findFiles, isFolder, loadScenarios, serverWarnings, targetWarnings, writeProblem } from '#planning';
import type { Finding } from '#reports';
import { isBucket, probeStore, requireSharedProject } from '#store';
import type { DoctorContext } from './context.js';

const GIB = 1024 ** 3;
/** In bytes. Enough for a workspace, a transcript and a database, but not for a day of work. */
const LITTLE_SPACE = 1 * GIB;

export function config({ project, configError }: DoctorContext): Finding {
  if (project.configFile === null)
    return {
      status: 'info',
      message: 'none; using defaults',
      remedy: `create one with ${ownCommand('init')}`,
    };
  if (configError === null) return { status: 'ok', message: displayPath(project.configFile) };
  const [first] = configError.problems;
  return {
    status: 'problem',
    message: first === undefined ? configError.message : formatProblem(first),
    remedy: `fix it; until then no other command works${configError.problems.length > 1 ? ` (${configError.problems.length} problems; ${ownCommand('validate')} shows all)` : ''}`,
  };
}

export async function fixtures({ project }: DoctorContext): Promise<Finding> {
  const folder = displayPath(project.fixturesPath);
  const files = isFolder(project.fixturesPath) ? findFiles(project, { files: [], all: true }) : [];
  const detail = { folder: project.fixturesPath, scenarios: files.length };
  if (files.length === 0)
    return {
      status: 'info',
      message: `no scenarios in ${folder}`,
      remedy: `create one with ${ownCommand('init')}`,
      detail,
    };
  const { scenarios, problems } = await loadScenarios(project, files);
  const count = `${counted(files.length, 'scenario')} in ${folder}`;
  const [first] = problems;
  if (first === undefined) {
    const warnings = [...targetWarnings(project, scenarios), ...serverWarnings(scenarios)];
    const [missing] = warnings;
    if (missing === undefined) return { status: 'ok', message: `${count}, valid`, detail };
    return {
      status: 'warning',
      message: `${count}, valid; ${warnings.length === 1 ? '1 program or file is missing:' : `${warnings.length} programs or files are missing, first`} ${missing.replace(/^warning: /, '')}`,
      remedy: `${ownCommand('validate')} shows all`,
      detail,
    };
  }
  return {
    status: 'problem',
    message: `${count}; ${counted(problems.length, 'problem')}, first ${formatProblem(first)}`,
    remedy: `${ownCommand('validate')} shows all`,
    detail,
  };
}

export async function results({ project }: DoctorContext): Promise<Finding> {
  const folder = project.resultsPath;
  const reason = await writeProblem(folder);
  if (reason !== null)
    return {
      status: 'problem',
      message: `${folder}: ${reason}`,
      remedy: 'choose another folder with --results or results_path in the config file',
    };
  return withSpace(folder, { status: 'ok', message: `${displayPath(folder)} is writable` });
}

/** The state folder has workspaces, raw output and databases. It must be private, because they may contain secrets. */
export async function state({ state: home, engine }: DoctorContext): Promise<Finding> {
  const reason = await writeProblem(home);
  if (reason !== null)
    return {
      status: 'problem',
      message: `${home}: ${reason}`,
      remedy: 'set LLM_TOOL_TEST_HOME to another folder',
    };
  const open = [home, engine].filter((folder) => (modeOf(folder) & 0o077) !== 0);
  if (open.length > 0)
    return {
      status: 'warning',
      message: `${open.join(' and ')} is accessible to other users`,
      remedy: `chmod 700 ${open.join(' ')}`,
    };
  return withSpace(home, { status: 'ok', message: `${home} is writable and private` });
}

/** The cache has executables. If other users can write there, we would run their programs. */
export async function cache({ cache: home }: DoctorContext): Promise<Finding> {
  const reason = await writeProblem(home);
  if (reason !== null)
    return {
      status: 'warning',
      message: `${home}: ${reason}`,
      remedy: 'needed only to download Temporal; set LLM_TOOL_TEST_CACHE to another folder',
    };
  return (modeOf(home) & 0o022) === 0
    ? { status: 'ok', message: home }
    : {
        status: 'warning',
        message: `${home} is writable by other users, and programs in it are executed`,
        remedy: `chmod go-w ${home}`,
      };
}

const modeOf = (folder: string): number => statSync(folder, { throwIfNoEntry: false })?.mode ?? 0;

async function withSpace(folder: string, finding: Finding): Promise<Finding> {
  const blocked = await diskProblem(folder);
  if (blocked !== null) return blocked;
  const { bavail, bsize } = await statfs(nearestExisting(folder));
  const free = bavail * bsize;
  const message = `${finding.message}, ${(free / GIB).toFixed(1)} GiB free`;
  const detail = { folder, free_bytes: free };
  return free < LITTLE_SPACE
    ? { status: 'warning', message, remedy: 'free some space: each run keeps its workspace', detail }
    : { ...finding, message, detail };
}

/** Reports a folder without room for the files of a run. Tries to write, because quotas do not show otherwise. */
async function diskProblem(folder: string): Promise<Finding | null> {
  const probe = await mkdtemp(join(nearestExisting(folder), '.llm-tool-test-'));
  try {
    const error = diskError(probe);
    const remedy = error === null ? null : diskRemedy(error);
    return remedy === null ? null : { status: 'problem', message: `${folder}: no room to write`, remedy };
  } finally {
    await rm(probe, { recursive: true, force: true });
  }
}

/** Checks that the shared place can be used, and that what must be on a local disk is. */
export async function sharedResults({ project, state }: DoctorContext): Promise<Finding> {
  const { store, location } = await requireSharedProject(project.resultsPath);
  const detail = { location };
  try {
    await probeStore(store);
  } catch (error) {
    return {
      status: 'problem',
      message: (error as Error).message,
      remedy: 'hosts and commands need this place; correct it, and run doctor again',
      detail,
    };
  }
  const local = await networkFileSystem(nearestExisting(state));
  if (local !== null)
    return {
      status: 'problem',
      message: `${state} is on ${local}, but locks and SQLite need a local disk`,
      remedy: 'set LLM_TOOL_TEST_HOME to a folder on a local disk; only the shared results may be elsewhere',
      detail,
    };
  const network = isBucket(location) ? null : await networkFileSystem(location);
  const delay = network === 'NFS' ? '; because it is on NFS, results of other hosts may appear a minute late' : '';
  return {
    status: 'ok',
    message: `${location} can be written, and each object is created only once${delay}`,
    detail,
  };
}
