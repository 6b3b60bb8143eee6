import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LOOPBACK, waitForExit } from '../../src/engine/server.js';
import { isAlive, signalProcess, type ProcessIdentity } from '../../src/host/process/process-identity.js';
import { letGo, startsOf, sweepOf, untilStarted, writeGated } from '../commands/gated.js';
import { createProject, documentOf, EMPTY_FIXTURE, scenario, until, type TestProject } from '../commands/project.js';
import { partOf } from '../commands/engine-parts.js';
import { startOnFreePorts } from '../free-server.js';

let folder: string;
let server: ProcessIdentity;
let project: TestProject;

// A given server: only the test freezes, wakes or replaces it.
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'llm-tool-test-frozen-'));
  const started = await startOnFreePorts(folder, () => undefined);
  server = started.server;
  project = await createProject(EMPTY_FIXTURE, { ownEngine: true });
  Object.assign(project.env, limits());
  project.env['TEMPORAL_ADDRESS'] = `${LOOPBACK}:${started.port}`;
});
afterAll(async () => {
  signalProcess(server, 'SIGCONT');
  await project.remove();
  signalProcess(server, 'SIGKILL');
  await waitForExit(server, 10_000);
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
});

/** Commands give up a server long before it wakes up. */
const limits = (more: object = {}) => ({
  LLM_TOOL_TEST_LIMITS: JSON.stringify({ serverAwayMs: 5000, ...more }),
});
/** Longer than a worker tries to send what it has done: ten times, in about 20 s. */
const FROZEN_MS = 30_000;
/** Runs of this target end as error before an agent starts. */
const UNHEALTHY = '{binary: cat, health_check: "false"}';

/** Expects exit 3, one document, and a message without a stack. */
function expectInfrastructure({ exitCode, stdout, stderr }: Awaited<ReturnType<TestProject['cli']>>): void {
  expect({ exitCode, stdout, stderr }).toMatchObject({ exitCode: 3 });
  expect(JSON.parse(stdout)).toEqual({
    error: {
      code: 'infrastructure',
      message: expect.stringMatching(/Temporal server 127\.0\.0\.1:\d+ does not answer .*try again/) as string,
      problems: [],
    },
  });
  expect(stderr).toContain('error: ');
  expect(stderr).not.toMatch(/^\s+at /m);
}

test('while the server is frozen for half a minute, verbs that need it exit with 3 and say what to do, verbs that only read files work, and followers resume afterwards', async () => {
  await writeGated(project, 'followed');
  await writeGated(project, 'other');
  await project.write('fixtures/untested.yaml', scenario('untested', { steps: ['say: x'], target: UNHEALTHY }));
  const { document: ended } = await project.run(['untested']);
  expect(ended.totals).toMatchObject({ errored: 1 });
  const follower = project.start(['run', 'followed', '--name', 'followed', '--json']);
  await untilStarted(project, 'followed');
  const sweep = await sweepOf(project, 'followed');

  const frozenAt = Date.now();
  expect(signalProcess(server, 'SIGSTOP')).toBe(true);
  const asking = [
    ['run', 'other'],
    ['resume', sweep],
    ['pause', sweep],
    ['cancel', sweep],
    ['retry', sweep, '--now'],
    ['retry', ended.sweep],
    ['ui'],
    ['ui', sweep],
    ['engine', 'start'],
  ].map((verb) => project.cli([...verb, '--json']));
  for (const verb of [['show', sweep], ['report', sweep], ['sweeps']]) {
    const { exitCode, stdout } = await project.cli([...verb, '--json']);
    expect([verb, exitCode]).toEqual([verb, 0]);
    expect(JSON.parse(stdout)).toBeTypeOf('object');
  }
  const status = await project.cli(['engine', 'status', '--json']);
  expect(JSON.parse(status.stdout)).toMatchObject({ server: { state: 'external' }, server_answers: false });
  expect(status.stderr).toMatch(/^warning: the Temporal server 127\.0\.0\.1:\d+ does not answer .*try again/);
  const doctor = await project.cli(['doctor', '--json']);
  expect(doctor.exitCode).toBe(3);
  expect(JSON.parse(doctor.stdout)).toMatchObject({
    status: 'problem',
    checks: expect.arrayContaining([
      expect.objectContaining({
        name: 'temporal',
        status: 'problem',
        message: expect.stringContaining('does not answer') as string,
        remedy: expect.stringContaining('start it') as string,
      }),
    ]) as object[],
  });
  for (const ended of await Promise.all(asking)) expectInfrastructure(ended);
  await sleep(Math.max(0, frozenAt + FROZEN_MS - Date.now())); // the test is about this length of the freeze
  signalProcess(server, 'SIGCONT');

  await letGo(project, 'followed');
  const { exitCode, stdout, stderr } = await follower;
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
  expect(documentOf(stdout)).toMatchObject({ status: 'completed', totals: { passed: 1 } });
  expect(startsOf(project, 'followed')).toBe(1);
  expect(startsOf(project, 'other')).toBe(0);
});

test('a third signal ends a waiting command at once, with a message on how to resume the sweep', async () => {
  await writeGated(project, 'stubborn');
  const command = project.start(['run', 'stubborn', '--name', 'stubborn', '--json']);
  await untilStarted(project, 'stubborn');
  const sweep = await sweepOf(project, 'stubborn');
  signalProcess(server, 'SIGSTOP');
  const untilStderrHas = (text: string): Promise<void> =>
    new Promise((resolve) => {
      let stderr = '';
      command.stderr.on('data', (data: Buffer) => {
        stderr += String(data);
        if (stderr.includes(text)) resolve();
      });
    });
  const pausing = untilStderrHas('pausing');
  command.kill('SIGINT');
  await pausing;
  const cancelling = untilStderrHas('cancelling');
  command.kill('SIGTERM');
  await cancelling;
  command.kill('SIGINT');
  const { exitCode, stdout } = await command;
  expect(exitCode).toBe(130);
  expect(JSON.parse(stdout)).toMatchObject({
    error: { code: 'interrupted', message: expect.stringContaining(`resume ${sweep}`) as string },
  });
  signalProcess(server, 'SIGCONT');
  await letGo(project, 'stubborn');
  expect((await project.cli(['cancel', sweep])).exitCode).toBe(0);
});

test('engine stop ends keeper and worker while the given server is frozen, and the sweep continues with the next engine', async () => {
  await writeGated(project, 'stopped');
  await project.run(['stopped', '--name', 'stopped', '--detach']);
  await untilStarted(project, 'stopped');
  signalProcess(server, 'SIGSTOP');
  const { exitCode, stdout } = await project.cli(['engine', 'stop', '--json']);
  expect([exitCode, JSON.parse(stdout)]).toEqual([0, { stopped: true }]);
  for (const part of ['keeper', 'worker'] as const) expect([part, await partOf(project, part)]).toEqual([part, null]);
  // Without an earlier engine nothing shows that this server has ever answered.
  const soon = limits({ engineFailsMs: 5000, engineRetryMs: 1000 });
  expectInfrastructure(await project.cli(['engine', 'start', '--json'], soon));
  signalProcess(server, 'SIGCONT');

  await letGo(project, 'stopped');
  const resumed = await project.cli(['resume', await sweepOf(project, 'stopped'), '--json']);
  expect(resumed.exitCode).toBe(0);
  expect(startsOf(project, 'stopped')).toBe(1);
});

test('ui exits with 3 if the local server and the keeper are frozen, and the commands that it suggests help', async ({
  onTestFinished,
}) => {
  const own = await createProject(EMPTY_FIXTURE, { ownServer: true });
  onTestFinished(() => own.remove());
  Object.assign(own.env, limits());
  expect((await own.cli(['engine', 'start'])).exitCode).toBe(0);
  const [keeper, frozen] = await Promise.all([
    until('a keeper', () => partOf(own, 'keeper')),
    until('a server', () => partOf(own, 'server')),
  ]);
  for (const part of [keeper, frozen]) signalProcess(part, 'SIGSTOP');
  const { exitCode, stdout, stderr } = await own.cli(['ui', '--json']);
  expect([exitCode, stderr]).toEqual([3, expect.not.stringMatching(/^\s+at /m)]);
  expect(JSON.parse(stdout)).toMatchObject({
    error: {
      code: 'infrastructure',
      message: expect.stringMatching(/does not answer .*engine stop.*engine start/) as string,
    },
  });

  signalProcess(keeper, 'SIGCONT');
  const stopped = await own.cli(['engine', 'stop', '--json']);
  expect([stopped.exitCode, JSON.parse(stopped.stdout)]).toEqual([0, { stopped: true }]);
  for (const part of [keeper, frozen]) expect(isAlive(part)).toBe(false);
  const ui = await own.cli(['ui', '--json']);
  expect([ui.exitCode, JSON.parse(ui.stdout)]).toMatchObject([
    0,
    { ui_url: expect.stringContaining('http://') as string },
  ]);
});
