import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readEngineState, stayFile, writeEngineState } from '../../src/engine/engine-state.js';
import { projectState } from '../../src/host/folders.js';
import { isAlive, signalProcess } from '../../src/host/process/process-identity.js';
import { createProject, documentOf, EMPTY_FIXTURE, scenario, until, type TestProject } from '../commands/project.js';
import { linesIn, partOf } from '../commands/engine-parts.js';
import { letGo, untilStarted } from '../commands/gated.js';
import { writeWaiting } from './waiting-agent.js';

const SMALL = { ...EMPTY_FIXTURE, 'fixtures/small.yaml': scenario('small', { steps: ['say: x'] }) };
const folderOf = ({ results, state }: TestProject): string => projectState(results, state).folder;

test('a frozen server is replaced; --stay applies to a running engine; the database is private; a newer build is not replaced', async ({
  onTestFinished,
}) => {
  const project = await createProject(SMALL, { ownServer: true });
  onTestFinished(() => project.remove());
  project.env['LLM_TOOL_TEST_LIMITS'] = '{"serverSilentMs": 8000}';
  expect((await project.run(['small'])).exitCode).toBe(0);
  const folder = folderOf(project);
  for (const name of readdirSync(folder).filter((name) => name.includes('.db')))
    expect((statSync(join(folder, name)).mode & 0o077).toString(8), name).toBe('0');

  expect((await project.cli(['engine', 'start', '--stay'])).exitCode).toBe(0);
  expect(statSync(stayFile(folder)).isFile()).toBe(true);

  const server = await until('a server', () => partOf(project, 'server'));
  signalProcess(server, 'SIGSTOP');
  await until('another server', async () => {
    const now = await partOf(project, 'server');
    return !isAlive(server) && now !== null && now.pid !== server.pid ? true : null;
  });
  expect((await project.run(['small', '--no-cache'])).exitCode).toBe(0);

  await project.cli(['engine', 'stop']);
  const state = await readEngineState(folder);
  if (state === null) throw new Error('the engine has left no state');
  expect(state.temporal).toMatchObject({ version: state.versions.temporal });
  await writeEngineState(folder, {
    ...state,
    protocol: 99,
    versions: { ...state.versions, llm_tool_test: '9.9.9' },
  });
  const { exitCode, stderr } = await project.cli(['run', 'small']);
  expect(exitCode).toBe(3);
  expect(stderr).toMatch(/newer llm-tool-test \(9\.9\.9, protocol 99\)[^]*Use the newer version/);
  expect(await partOf(project, 'worker')).toBeNull();

  await writeEngineState(folder, { ...state, temporal: { path: '/gone', version: '0.0.1' } });
  expect((await project.run(['small', '--no-cache'])).exitCode).toBe(0); // there is no database of that version
});

test('a command that follows a sweep starts the engine again when keeper and server have died', async ({
  onTestFinished,
}) => {
  const project = await createProject(EMPTY_FIXTURE, { ownServer: true });
  onTestFinished(() => project.remove());
  await writeWaiting(project, 'held');
  const command = project.start(['run', 'held', '--json']);
  await untilStarted(project, 'held');
  for (const part of ['keeper', 'server'] as const)
    signalProcess(await until(part, () => partOf(project, part)), 'SIGKILL');
  const again = await until('another keeper and server', async () => {
    const [keeper, server] = [await partOf(project, 'keeper'), await partOf(project, 'server')];
    return keeper !== null && server !== null ? keeper : null;
  });
  expect(isAlive(again)).toBe(true);
  await letGo(project, 'held');
  const { exitCode, stdout, stderr } = await command;
  expect(exitCode, stderr).toBe(0);
  expect(documentOf(stdout).totals).toMatchObject({ cells: 1, passed: 1 });
  expect(linesIn(project, 'held.starts')).toHaveLength(1);
});
