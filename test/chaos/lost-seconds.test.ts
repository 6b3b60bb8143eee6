import { copyFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectState } from '../../src/host/folders.js';
import { killMarked } from '../../src/host/process/marked-processes.js';
import { isAlive, signalProcess, type ProcessIdentity } from '../../src/host/process/process-identity.js';
import { letGo, startsOf, untilStarted, writeGated } from '../commands/gated.js';
import { createProject, documentOf, EMPTY_FIXTURE, until, type TestProject } from '../commands/project.js';
import { readProc } from '../host/processes.js';
import { newFolder } from '../host/temporary.js';
import { partOf } from '../commands/engine-parts.js';

const stateOf = (project: TestProject): string => projectState(project.results, project.state).folder;

/** The server's database and its write-ahead log, without the index of the log, which SQLite rebuilds. */
const databaseIn = (folder: string): string[] =>
  readdirSync(folder).filter((name) => /^temporal-.+\.db(-wal)?$/.test(name));

/** Copies the database as a power failure at this moment would leave it. */
async function copyDatabase(server: ProcessIdentity, from: string, to: string): Promise<void> {
  signalProcess(server, 'SIGSTOP');
  await until('the server is frozen', () => (/ T /.test(readProc(server.pid, 'stat')) ? true : null));
  for (const name of databaseIn(from)) copyFileSync(join(from, name), join(to, name));
  signalProcess(server, 'SIGCONT');
}

test('a recorded run that the server has forgotten after a power failure is not run again', async ({
  onTestFinished,
}) => {
  const project = await createProject(EMPTY_FIXTURE, { ownServer: true });
  onTestFinished(() => project.remove());
  const names = ['first', 'second', 'third'];
  for (const name of names) await writeGated(project, name);
  await project.run([...names, '--concurrency', '1', '--name', 'forgetful', '--detach']);
  await untilStarted(project, 'first');
  const before = await newFolder();
  const state = stateOf(project);
  const server = await until('a server', () => partOf(project, 'server'));
  await copyDatabase(server, state, before);

  // The server will forget everything after this: the end of the first run, the second, the beginning of the third.
  await letGo(project, 'first');
  await letGo(project, 'second');
  await untilStarted(project, 'third');
  const recorded = await project.resultLines();
  expect(recorded.map(({ scenario_id }) => scenario_id)).toEqual(['first', 'second']);
  const parts = [server, await partOf(project, 'keeper'), await partOf(project, 'worker')];
  for (const part of parts) if (part !== null) signalProcess(part, 'SIGKILL');
  await until('all are dead', () => (parts.some((part) => part !== null && isAlive(part)) ? null : true));
  for (const run of readdirSync(join(state, 'work'))) await killMarked(run);
  for (const name of readdirSync(state).filter((name) => /^temporal-.+\.db/.test(name))) rmSync(join(state, name));
  for (const name of databaseIn(before)) copyFileSync(join(before, name), join(state, name));

  const resumed = project.start(['resume', 'forgetful', '--json']);
  await untilStarted(project, 'third', 2);
  await letGo(project, 'third');
  const { exitCode, stdout } = await resumed;
  expect(exitCode).toBe(0);
  expect(names.map((name) => startsOf(project, name))).toEqual([1, 1, 2]);
  const lines = await project.resultLines();
  expect(lines.slice(0, 2)).toEqual(recorded);
  expect(lines.map(({ scenario_id }) => scenario_id)).toEqual(names);
  expect(documentOf(stdout)).toMatchObject({ status: 'completed', totals: { passed: 3 } });
  const folders = documentOf(stdout).cells.map(({ results_dir }) => results_dir);
  expect(folders.slice(0, 2)).toEqual(recorded.map(({ id }) => join(project.results, id)));
});
