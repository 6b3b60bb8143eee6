import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { kill, partOf, stateOf, foldersOf } from '../commands/engine-parts.js';
import { letGo, sweepOf, untilStarted, writeGated } from '../commands/gated.js';
import { createProject, documentOf, EMPTY_FIXTURE, openRun, until, type TestProject } from '../commands/project.js';
import { killProcess, processesWith } from '../host/processes.js';

/** Asks the mocked endpoint, and prints its answer. */
const ASK = 'node -e "fetch(process.env.API_URL).then((a) => a.text()).then(console.log)"';
const OPTIONS = {
  gates: [`{type: command_output_contains, command: ${JSON.stringify(ASK)}, substring: hello gate 1}`],
  more: `setup: {mock_url_variables: [API_URL], mocks: [{endpoint: GET /, response: "hello \${context.step}"}]}`,
};

let project: TestProject;
beforeAll(async () => {
  project = await createProject(EMPTY_FIXTURE, { ownEngine: true });
  project.env['LLM_TOOL_TEST_LIMITS'] = '{"watchMs": 3000, "heartbeatMs": 4000}';
});
afterAll(() => project.remove());

const servers = (): number[] => processesWith(`endpoint-server.js\0${stateOf(project)}/`);
const untilServers = (count: number): Promise<number[]> =>
  until(`${count} servers of mocked endpoints`, () => (servers().length === count ? servers() : null));

/** Starts a run whose agent waits, and returns its command and the folder of its server. */
async function started(name: string) {
  await writeGated(project, name, OPTIONS);
  const command = project.start(['run', name, '--name', name, '--json']);
  await untilStarted(project, name);
  const [folder = ''] = foldersOf(project, name);
  const [pid] = await untilServers(1);
  return { command, folder: join(folder, 'mock-server'), pid };
}
const portIn = (folder: string): string => readFileSync(join(folder, 'port'), 'utf8');

test('a server that is killed during a run comes back for the next step, at the same port', async () => {
  const { command, folder, pid = 0 } = await started('killed');
  const port = portIn(folder);
  killProcess(pid);
  await untilServers(0);
  await letGo(project, 'killed');
  const { exitCode, stdout } = await command;
  expect(exitCode).toBe(0);
  expect(portIn(folder)).toBe(port);
  const { run } = await openRun(documentOf(stdout));
  expect(run.mocks?.by_mock[0]?.calls).toMatchObject([{ step: 'gate 1', status: 200 }]);
  expect(servers()).toEqual([]);
});

test('a server outlives its worker, and serves the steps of the next one', async () => {
  const { command, pid } = await started('outlived');
  await kill(project, 'worker');
  await until('another worker', () => partOf(project, 'worker'));
  expect(servers()).toEqual([pid]);
  await letGo(project, 'outlived');
  const { exitCode } = await command;
  expect(exitCode).toBe(0);
  expect(servers()).toEqual([]);
});

test('a cancel ends the server', async () => {
  const { command } = await started('cancelled');
  expect((await project.cli(['cancel', 'cancelled', '--json'])).exitCode).toBe(0);
  expect((await command).exitCode).toBe(130);
  await untilServers(0);
});

test('the server of a run that was terminated, without any clean-up of its own, is ended', async () => {
  const { command } = await started('terminated');
  const connection = await Connection.connect({ address: inject('temporalAddress') });
  try {
    const client = new Client({ connection });
    const sweep = await sweepOf(project, 'terminated');
    await client.workflow.getHandle(`sweep/${sweep}/terminated/mock/default/default/1/r1`).terminate();
    await untilServers(0);
  } finally {
    await connection.close();
  }
  await command;
});

test('a server whose run is gone ends by itself', async () => {
  const { command, folder } = await started('gone');
  rmSync(join(folder, 'server.json'));
  await untilServers(0);
  expect(existsSync(folder)).toBe(true);
  await letGo(project, 'gone');
  expect((await command).exitCode).toBe(0);
  expect(servers()).toEqual([]);
});
