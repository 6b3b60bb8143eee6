import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Client, Connection, type ScheduleHandle } from '@temporalio/client';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isScheduledTime, StoredSchedule } from '../../src/scenario/plan.js';
import { putSchedule } from '../../src/client/schedules/temporal-schedule.js';
import { LIMITS } from '../../src/lib/limits.js';
import { readEngineState } from '../../src/engine/engine-state.js';
import { projectState } from '../../src/host/folders.js';
import { Firing, type ScheduleSummary } from '../../src/decide/documents/firing.js';
import { scheduleId } from '../../src/protocol/index.js';
import { createProject, EMPTY_FIXTURE, filesBelow, scenario, until, type TestProject } from '../commands/project.js';

/** Schedules on a real server, with the real command line and a target that changes. */
let project: TestProject;
let server: Server;
const received: { path: string; body: Firing }[] = [];
let answers: number[] = [];
let connection: Connection | undefined;
let client: Client;

const GOOD = '#!/bin/sh\n[ "$1" = --version ] && exit\necho milk > notes.md\n';
const BROKEN = '#!/bin/sh\n[ "$1" = --version ] && exit\nexit 2\n';
const RESULTS = 'llm-tool-test-results';

beforeAll(async () => {
  server = createServer((request, response) => {
    let text = '';
    request.on('data', (part: Buffer) => (text += part.toString()));
    request.on('end', () => {
      received.push({ path: request.url ?? '', body: JSON.parse(text) as Firing });
      response.writeHead(answers.shift() ?? 200).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  project = await createProject(
    {
      ...EMPTY_FIXTURE,
      'fixtures/notes.yaml': scenario('notes', {
        target: '{binary: ../bin/notes, files: []}',
        gates: ['{type: file_exists, path: notes.md}'],
        steps: ['run: notes'],
      }),
      'fixtures/slow.yaml': scenario('slow', { steps: ['wait_secs: 600'] }),
      'fixtures/keyed.yaml': scenario('keyed', {
        target: '{binary: cat, env: {KEY: "${KEY}"}}',
        gates: ['{type: file_exists, path: README.md}'],
        steps: ["say: 'hello'"],
      }),
    },
    { ownServer: true },
  );
  await project.write('bin/notes', GOOD, 0o755);
  await project.write(
    'keys.env',
    `HOOK=http://127.0.0.1:${(server.address() as AddressInfo).port}/geheim\nKEY=k1234567\n`,
  );
});
afterAll(async () => {
  await connection?.close();
  await project.remove();
  server.close();
});

const schedule = (...args: string[]) => project.cli(['schedule', ...args]);
const latest = async (name: string): Promise<Firing> =>
  Firing.parse(JSON.parse(await project.read(`${RESULTS}/schedules/${name}/latest.json`)));
/** Waits until the webhook of the latest firing is sent: that is no part of the firing. */
const webhookOf = (name: string) =>
  until('the webhook', async () => ((await latest(name)).webhook === 'sent' ? true : null));
const listed = async (name: string): Promise<ScheduleSummary> => {
  const { schedules } = JSON.parse((await schedule('list', '--json')).stdout) as {
    schedules: ScheduleSummary[];
  };
  return schedules.find((one) => one.schedule === name) ?? expect.fail(`${name} is not listed`);
};
const idOf = (name: string): string => scheduleId(projectState(project.results, project.state).id, name);

async function handleOf(name: string): Promise<ScheduleHandle> {
  const engine = await readEngineState(projectState(project.results, project.state).folder);
  connection ??= await Connection.connect({ address: engine?.address ?? '' });
  client = new Client({ connection });
  return client.schedule.getHandle(idOf(name));
}

test('a target that breaks between two firings is reported as worse, in all files and to the webhook', async () => {
  answers = [500];
  const created = await schedule(
    ...['create', 'nightly', 'notes', '--every', '6h', '--repeat', '6', '--no-cache', '--fail-on', 'worse'],
    ...['--webhook', '${HOOK}', '--env-file', 'keys.env', '--junit', 'out/junit.xml'],
  );
  expect([created.exitCode, created.stderr]).toEqual([0, expect.stringContaining('keeps running') as string]);
  const first = await schedule('trigger', 'nightly', '--wait');
  expect(first.exitCode).toBe(0);
  await webhookOf('nightly');
  const before = await latest('nightly');
  await project.write('bin/notes', BROKEN, 0o755);
  const second = await schedule('trigger', 'nightly', '--wait', '--json');
  expect(second.exitCode).toBe(1);
  await webhookOf('nightly');
  const after = await latest('nightly');
  expect(after).toMatchObject({
    verdict: 'worse',
    exit_code: 1,
    compared_with: before.sweep,
    totals: { passed: 0, failed: 6 },
    webhook: 'sent',
  });
  expect(after.text).toContain(`worse since ${after.sweep}`);
  expect({ ...(JSON.parse(second.stdout) as object), webhook: 'sent' }).toEqual(after);
  expect(await project.read(`${RESULTS}/schedules/nightly/exit-code`)).toBe('1\n');
  for (const file of [`${RESULTS}/schedules/nightly/junit.xml`, 'out/junit.xml'])
    expect(await project.read(file)).toContain('failures="6"');
  // The first answer was an error, so the first firing was sent twice.
  expect(received.map(({ path, body }) => [path, body.sweep])).toEqual([
    ['/geheim', before.sweep],
    ['/geheim', before.sweep],
    ['/geheim', after.sweep],
  ]);
  const { exitCode } = await project.cli(['compare', before.sweep ?? '', after.sweep ?? '', '--fail-on-worse']);
  expect(exitCode).toBe(1);
});

test('a webhook that nobody accepts holds up no later firing, and the report is that of the latest', async () => {
  const hook = ['--webhook', '${HOOK}', '--env-file', 'keys.env', '--overlap', 'queue'];
  await project.write('bin/notes', GOOD, 0o755);
  await schedule('create', 'held', 'notes', '--every', '6h', '--no-cache', ...hook);
  answers = Array.from({ length: 100 }, () => 503);
  const sweeps: (string | null)[] = [];
  for (let nth = 0; nth < 2; nth++) {
    expect((await schedule('trigger', 'held', '--wait')).exitCode).toBe(0);
    const { sweep, webhook } = await latest('held');
    sweeps.push(sweep);
    expect(webhook).toBeNull();
    expect(await project.read(`${RESULTS}/schedules/held/junit.xml`)).toContain(`<testsuites name="${sweep}"`);
  }
  expect(new Set(sweeps).size).toBe(2);
  expect(await listed('held')).toMatchObject({ running: 0, queued: 0 });
  answers = [];
  await webhookOf('held');
  await schedule('delete', 'held');
  await project.write('bin/notes', BROKEN, 0o755);
});

test('sweeps that run side by side are all listed', async () => {
  await schedule('create', 'many', 'slow', '--every', '6h', '--no-cache', '--overlap', 'allow');
  for (let nth = 0; nth < 2; nth++) expect((await schedule('trigger', 'many')).exitCode).toBe(0);
  expect(await listed('many')).toMatchObject({ running: 2, queued: 0 });
  // A firing begins before its sweep.
  const sweeps = await until('both sweeps', async () => {
    const { stdout } = await project.cli(['sweeps', '--json']);
    const all = (JSON.parse(stdout) as { sweeps: { id: string }[] }).sweeps;
    const ofMany = all.filter(({ id }) => id.startsWith('many-'));
    return ofMany.length === 2 ? ofMany : null;
  });
  for (const { id } of sweeps) await project.cli(['cancel', id]);
  await until('their ends', async () => ((await listed('many')).running === 0 ? true : null));
  await schedule('delete', 'many');
});

test('backfill runs the sweeps of times that had no firing, one after another, once', async () => {
  await project.write('bin/notes', GOOD, 0o755);
  await schedule('create', 'missed', 'notes', '--every', '1h', '--no-cache');
  const from = new Date(Date.now() - 3 * 3_600_000).toISOString();
  const filled = await schedule('backfill', 'missed', '--from', from, '--json');
  const { backfilled } = JSON.parse(filled.stdout) as { backfilled: string[] };
  expect([filled.exitCode, backfilled.length]).toEqual([0, 3]);
  const nights = async () =>
    (JSON.parse((await schedule('show', 'missed', '--json')).stdout) as { nights: Firing[] }).nights;
  await until('all results', async () =>
    (await nights()).filter((one) => one.exit_code === 0).length === 3 ? 1 : null,
  );
  expect((await nights()).map(({ scheduled_at }) => scheduled_at)).toEqual(backfilled);
  const again = await schedule('backfill', 'missed', '--from', from, '--to', backfilled.at(-1) ?? '');
  expect([again.exitCode, again.stderr]).toEqual([2, expect.stringContaining('has no time in this range') as string]);
  await schedule('delete', 'missed');
  await project.write('bin/notes', BROKEN, 0o755);
});

test('neither the results nor the server know the URL of the webhook or the values of keys', async () => {
  const handle = await handleOf('nightly');
  const described = JSON.stringify(await handle.describe());
  const { workflow } = (await handle.describe()).info.recentActions.at(-1)?.action ?? expect.fail();
  const history = await client.workflow.getHandle(workflow.workflowId).fetchHistory();
  const texts = [described, Buffer.from(JSON.stringify(history)).toString()];
  for (const file of await filesBelow(join(project.results, 'schedules'))) texts.push(await readFile(file, 'utf8'));
  for (const secret of ['geheim', Buffer.from('geheim').toString('base64').slice(0, 7)])
    expect(texts.filter((text) => text.includes(secret))).toEqual([]);
});

test.each([
  ['replaced', () => schedule('create', 'hooked', 'notes', '--every', '12h', '--replace')],
  ['deleted', () => schedule('delete', 'hooked')],
])('a webhook that is not accepted yet when its schedule is %s is sent after that', async (_, change) => {
  const hook = ['--webhook', '${HOOK}', '--env-file', 'keys.env'];
  await schedule('create', 'hooked', 'notes', '--every', '6h', '--replace', ...hook);
  const before = received.length;
  answers = Array.from({ length: 100 }, () => 503);
  await schedule('trigger', 'hooked');
  await until('an attempt', () => Promise.resolve(received.length > before ? true : null));
  const { firing } = received.at(-1)?.body ?? expect.fail();
  expect((await change()).exitCode).toBe(0);
  answers = [];
  const record = async () =>
    Firing.parse(JSON.parse(await project.read(`${RESULTS}/schedules/hooked/firings/${firing}.json`)));
  await until('the webhook', async () => ((await record()).webhook === null ? null : true));
  expect(await record()).toMatchObject({ status: 'completed', webhook: 'sent' });
  expect(received.at(-1)?.body).toMatchObject({ schedule: 'hooked', firing });
});

test('clean keeps the sweep that the next one is compared with', async () => {
  const { compared_with: sweep, sweep: broken } = await latest('nightly');
  expect((await project.cli(['clean', '--older-than', '0d'])).exitCode).toBe(0);
  expect((await project.cli(['show', sweep ?? ''])).exitCode).toBe(0);
  expect((await project.cli(['show', broken ?? ''])).exitCode).toBe(2);
  await project.write('bin/notes', GOOD, 0o755);
  await schedule('trigger', 'nightly', '--wait');
  // One good night is not enough to forget the loss.
  expect(await latest('nightly')).toMatchObject({ compared_with: sweep, verdict: 'worse', exit_code: 1 });
  const { sweeps } = JSON.parse((await project.cli(['sweeps', '--json'])).stdout) as { sweeps: unknown[] };
  expect(sweeps).toHaveLength(2);
});

test('whoever reaches the server can fire a schedule, but starts no sweep with that', async () => {
  const before = (await listed('nightly')).latest?.sweep;
  const handle = await handleOf('nightly');
  const known = (await handle.describe()).info.recentActions.length;
  await handle.trigger('ALLOW_ALL');
  const action = await until('the firing of the stranger', async () => {
    const { recentActions } = (await handle.describe()).info;
    return recentActions.length > known ? (recentActions.at(-1)?.action ?? null) : null;
  });
  const fired = client.workflow.getHandle(action.workflow.workflowId);
  await expect(fired.result()).rejects.toMatchObject({
    cause: {
      cause: { type: 'NotOurs', message: expect.stringContaining('no command has triggered it') as string },
    },
  });
  expect((await listed('nightly')).latest?.sweep).toBe(before);
});

test('a key that is not set, and a file of keys that is gone, end the firing with 3 and the reason', async () => {
  await project.write('some.env', 'OTHER=x\n');
  const create = () => schedule('create', 'keyed', 'keyed', '--every', '6h', '--env-file', 'some.env');
  const unset = await create();
  expect([unset.exitCode, unset.stderr]).toEqual([2, expect.stringContaining('not set: KEY') as string]);
  await project.write('some.env', 'KEY=k1234567\n');
  expect((await create()).exitCode).toBe(0);
  await project.write('some.env', 'OTHER=x\n');
  expect((await schedule('trigger', 'keyed', '--wait')).exitCode).toBe(3);
  const missing = await latest('keyed');
  expect(missing).toMatchObject({ exit_code: 3, totals: { errored: 1 } });
  expect(missing.reasons.join()).toContain('KEY');
  // The file is read again at each firing.
  await project.write('some.env', 'KEY=k1234567\n');
  expect((await schedule('trigger', 'keyed', '--wait')).exitCode).toBe(0);
  await schedule('create', 'gone', 'keyed', '--every', '6h', '--env-file', 'keys.env');
  await project.write('gone.env', 'KEY=k1234567\n');
  await schedule('create', 'gone', 'keyed', '--every', '6h', '--env-file', 'gone.env', '--replace');
  await rm(join(project.folder, 'gone.env'));
  const gone = await schedule('trigger', 'gone', '--wait');
  expect(gone.exitCode).toBe(3);
  expect(await latest('gone')).toMatchObject({ sweep: null, status: 'not started' });
  expect(gone.stderr).toContain('gone.env');
});

test('with skip, a schedule that is running does not fire again', async () => {
  await schedule('create', 'slow', 'slow', '--every', '6h');
  const { sweep } = JSON.parse((await schedule('trigger', 'slow', '--json')).stdout) as { sweep: string };
  await until('the firing is listed', async () => ((await listed('slow')).running === 1 ? true : null));
  const again = await schedule('trigger', 'slow', '--json');
  expect([again.exitCode, JSON.parse(again.stdout)]).toMatchObject([2, { error: { code: 'schedule_running' } }]);
  // A time of the schedule is skipped in the same way.
  const handle = await handleOf('slow');
  await handle.trigger('SKIP');
  await until('the skip is counted', async () => ((await listed('slow')).skipped === 1 ? true : null));
  expect((await schedule('list')).stdout).toContain('1 time skipped because a sweep was running');
  await project.cli(['cancel', sweep]);
  await until('the result', async () => ((await listed('slow')).latest === null ? null : true));
  expect(await latest('slow')).toMatchObject({ sweep, status: 'cancelled', exit_code: 130 });
  expect(await filesBelow(join(project.results, 'schedules', 'slow', 'firings'))).toHaveLength(1);
});

test('with cancel, the next firing ends the sweep before it; with queue, it waits for it', async () => {
  await schedule('create', 'slow', 'slow', '--every', '6h', '--overlap', 'cancel', '--replace');
  const { sweep } = JSON.parse((await schedule('trigger', 'slow', '--json')).stdout) as { sweep: string };
  const second = JSON.parse((await schedule('trigger', 'slow', '--json')).stdout) as { sweep: string };
  expect([second.sweep, second.sweep === sweep]).toEqual([expect.stringContaining('slow-'), false]);
  expect(await latest('slow')).toMatchObject({ sweep, status: 'cancelled', exit_code: 130 });
  await project.cli(['cancel', second.sweep]);
  await until('the second result', async () => ((await latest('slow')).sweep === second.sweep ? true : null));
  // Its result is there before it has ended; a firing that comes in between would be queued.
  await until('the second firing to end', async () => ((await listed('slow')).running === 0 ? true : null));

  await schedule('create', 'slow', 'slow', '--every', '6h', '--overlap', 'queue', '--replace');
  const third = JSON.parse((await schedule('trigger', 'slow', '--json')).stdout) as { sweep: string };
  await until('the firing is listed', async () => ((await listed('slow')).running === 1 ? true : null));
  const queued = await schedule('trigger', 'slow', '--json');
  expect(JSON.parse(queued.stdout)).toEqual({ schedule: 'slow', queued: true, sweep: null });
  await project.cli(['cancel', third.sweep]);
  const names = async () => filesBelow(join(project.results, 'schedules', 'slow', 'firings'));
  await until('the queued firing', async () => ((await names()).length === 4 ? true : null));
  const fourth = await until('its sweep', async () => {
    const { sweeps } = JSON.parse((await project.cli(['sweeps', '--json'])).stdout) as {
      sweeps: { id: string; status: string }[];
    };
    return sweeps.find(({ status }) => status === 'open')?.id ?? null;
  });
  await project.cli(['cancel', fourth]);
  await until('the fourth result', async () => ((await latest('slow')).sweep === fourth ? true : null));
});

test('the server fires exactly at times that a worker accepts, also when clocks change', async () => {
  await handleOf('nightly');
  const engine = await readEngineState(projectState(project.results, project.state).folder);
  if (engine === null) throw new Error('the engine is not running');
  const session = { client, engine, limits: LIMITS, followServer: () => Promise.resolve() };
  const number = (from: number, to: number) => fc.integer({ min: from, max: to }).map(String);
  const field = (from: number, to: number) =>
    fc.oneof(
      fc.constant('*'),
      number(from, to),
      fc.tuple(number(from, to), number(from, to)).map((two) => two.join(',')),
    );
  const cron = fc
    .tuple(field(0, 59), field(0, 23), field(1, 28), field(1, 12), field(0, 7))
    .map((parts) => parts.join(' '));
  const zone = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe');
  const check = async (text: string, timezone: string): Promise<void> => {
    const when = { cron: text, timezone };
    const stored = StoredSchedule.parse({
      schema_version: 1,
      schedule: 'probe',
      created_at: new Date().toISOString(),
      when,
      overlap: 'skip',
      jitter_secs: 0,
      catch_up_secs: 60,
      fail_on: 'failed',
      junit: null,
      webhook: null,
      env_file: null,
      variables: [],
      plan: {
        schema_version: 1,
        concurrency: 1,
        scenarios: [],
        agents: {},
        providers: {},
        cells: [],
        cache: false,
        caps: { agents: {}, models: {} },
        max_usd: null,
        prices: {},
        project: null,
        sandbox: { required: false, allow_loopback: [] },
        hidden: [],
      },
    });
    await putSchedule(session, stored, 'none');
    const handle = session.client.schedule.getHandle(scheduleId(projectState(project.results).id, 'probe'));
    const { nextActionTimes } = (await handle.describe()).info;
    expect(nextActionTimes.length).toBeGreaterThan(0);
    for (const time of nextActionTimes)
      expect([text, timezone, time.toISOString(), isScheduledTime(when, time.getTime())]).toEqual([
        ...[text, timezone, time.toISOString(), true],
      ]);
    await handle.delete();
  };
  await check('30 2 25-31 3 *', 'Europe/Berlin');
  await check('30 2 25-31 10 *', 'Europe/Berlin');
  await fc.assert(fc.asyncProperty(cron, zone, check), { numRuns: 30 });
});

test('a schedule fires by itself, unless it is paused; the engine says that it is needed', async () => {
  await schedule('create', 'minutely', 'notes', '--every', '1m', '--jitter', '1s');
  await until('the first firing', () => existsSync(join(project.results, 'schedules/minutely/latest.json')) || null);
  expect(await latest('minutely')).toMatchObject({ triggered: false, status: 'completed', exit_code: 0 });
  expect((await latest('minutely')).firing).toMatch(/00$/);
  expect((await schedule('pause', 'minutely')).stdout).toContain('paused');
  expect(await listed('minutely')).toMatchObject({ status: 'paused' });
  const stopped = await project.cli(['engine', 'stop']);
  expect(stopped.stderr).toContain('schedules do not fire until the engine is started again');
  expect(await listed('minutely')).toMatchObject({ status: 'unknown', next: [], running: null });
  expect((await schedule('resume', 'minutely')).exitCode).toBe(0);
  expect(await listed('minutely')).toMatchObject({ status: 'active' });
  for (const name of ['minutely', 'nightly', 'keyed', 'gone', 'slow'])
    expect((await schedule('delete', name)).exitCode).toBe(0);
  expect((await project.cli(['engine', 'stop'])).stderr).not.toContain('schedules');
});
