import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { projectState } from '../../../src/host/folders.js';
import { killMarked, markedProcesses } from '../../../src/host/process/marked-processes.js';
import { isAlive } from '../../../src/host/process/process-identity.js';
import { opaqueId, stateOfRun } from '../../../src/store/results-folder.js';
import { partOf } from '../../commands/engine-parts.js';
import { until, type TestProject } from '../../commands/project.js';
import { killProcess } from '../../host/processes.js';

const folderOf = (project: TestProject, run: string): string =>
  stateOfRun(projectState(project.results, project.state).folder, run);

/** The process id of the supervisor of a run's agent. When it is killed, the agent ends without an exit status. */
export async function agentPid(project: TestProject, run: string): Promise<number> {
  return Number.parseInt(await readFile(join(folderOf(project, run), 'agent', '1', 'sup'), 'utf8'), 10);
}

/** The name of the run of a scenario. */
export const runOf = (project: TestProject, scenario: string): Promise<string> =>
  until('the run', async () => (await readdir(project.results)).find((name) => name.includes(`-${scenario}-`)) ?? null);

/** A command whose output is in none of the agent's files until they have its result. */
export const SAYS_SAVED = "printf 'saved-%d\\n' 42";

/**
 * Waits until the agent's own files have the result of SAYS_SAVED. Agents write their session in the background, and
 * one that is killed before that cannot know of a call that has ended.
 */
export async function untilSaved(project: TestProject, run: string): Promise<void> {
  const args = ['-rlaF', '--exclude-dir=agent', '--exclude-dir=workspace', 'saved-42', folderOf(project, run)];
  await until('the session is saved', async () => {
    const { stdout } = await execa('grep', args, { reject: false });
    return stdout === '' ? null : true;
  });
}

/** Ends the engine with its server, a run's processes and a command at once, as a power failure does. */
export async function losePower(
  project: TestProject,
  run: string,
  command: ReturnType<TestProject['start']>,
): Promise<void> {
  const found = await Promise.all((['keeper', 'worker', 'server'] as const).map((part) => partOf(project, part)));
  const parts = found.filter((part) => part !== null);
  // First nothing goes on, so that nobody notices that another has ended.
  for (const signal of ['SIGSTOP', 'SIGKILL'] as const) {
    command.kill(signal);
    for (const pid of [...parts.map((part) => part.pid), ...markedProcesses(opaqueId(run))]) killProcess(pid, signal);
  }
  await command;
  await until('all are dead', () => (parts.some((part) => isAlive(part)) ? null : true));
  await killMarked(opaqueId(run)); // processes that were forked after the list was made
}
