import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createActivities, type Activities } from '../../src/activities/index.js';
import { handoverFrom, writeHandover } from '../../src/platform/handover.js';
import { loadScenario } from '../../src/scenario/load-scenario.js';
import type { EffectiveScenario, Plan } from '../../src/scenario/plan.js';
import { fixtureFolder, planFile, scenarioFile } from '../../src/store/results-folder.js';
import type { RunRef } from '../../src/workflows/protocol.js';
import { createModelServer, type ModelServer } from '../commands/model-server.js';
import { scenario } from '../commands/project.js';

const KEY = 'house-key-4711-xyzzy';
const GOOD = JSON.stringify({ scores: { a: 0.5 }, confidence: 1, issues: [], highlights: [] });
const cell = { id: 'c', scenario: 'judged', agent: 'mock', model: 'm', variant: 'v', repetition: 1 };
const run: RunRef = { sweep: 's', cell, run: 'run-judged-00000000', workflowId: 'w' };

/** No lines about attempts that fail because a test wants them to. */
const logger = new DefaultLogger('ERROR');

let folder: string;
let server: ModelServer;
let activities: Activities;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'llm-tool-test-judge-'));
  server = await createModelServer();
  const [resultsPath, stateFolder] = [join(folder, 'results'), join(folder, 'state')];
  activities = createActivities({ resultsPath, stateFolder });
  const loaded = loadScenario('judged.yaml', scenario('judged'));
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  const effective: EffectiveScenario = {
    scenario: loaded.value,
    target: { binary: 'cat', env: {} },
    ...{ target_path: null, fixture: 'f', timeout_secs: 5 },
    judge: {
      model: 'house/m',
      rubric: {
        criteria: [{ id: 'a', weight: 1, description: 'x' }],
        output: { format: 'json', require_fields: [] },
      },
      ...{ rubric_file: 'rubric.yaml', pass_threshold: 0.4, always: false, timeout_secs: 10 },
    },
  };
  const plan: Plan = {
    schema_version: 1,
    ...{ sweep: 's', created_at: '', concurrency: 1, cache: true, max_usd: null, agents: {} },
    ...{ caps: { agents: {}, models: {} }, prices: { m: { input_per_mtok: 1000, output_per_mtok: 5000 } } },
    scenarios: [{ name: 'judged', file: 'judged.yaml', hash: 'h' }],
    providers: { house: { base_url: server.address, api_key: '${HOUSE_KEY}', free: true } },
    cells: [cell],
    ...{ project: null, hidden: [] },
  };
  await mkdir(fixtureFolder(resultsPath, 'f'), { recursive: true });
  for (const [file, value] of [
    [planFile(resultsPath, 's'), plan],
    [scenarioFile(resultsPath, 'h'), effective],
  ] as const) {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, JSON.stringify(value));
  }
  await writeHandover(stateFolder, 's', handoverFrom({ HOUSE_KEY: KEY }, ['HOUSE_KEY']));
});
afterEach(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

const attempt = (number: number): Promise<unknown> =>
  new MockActivityEnvironment({ attempt: number }, { logger }).run(() => activities.judgeRun(run));
/** How an attempt failed, as Temporal sees it. */
const failureOf = (number: number): Promise<unknown> =>
  attempt(number).then(
    () => 'it did not fail',
    (error: unknown) => error,
  );
const artifact = (name: string): string => join(folder, 'results', run.run, 'artifacts', 'judge', name);

test('an answer that was kept when the worker died is not asked for again', async () => {
  server.script('m', { say: GOOD });
  expect(await attempt(1)).toEqual({ score: 0.5, passed: true });
  await rm(join(folder, 'state', 'work', run.run, 'steps', 'judge.json'));
  expect(await attempt(2)).toEqual({ score: 0.5, passed: true });
  expect(server.askedOf('m')).toHaveLength(1);
  expect(existsSync(artifact('answer-2.json'))).toBe(false);
});

test('a server that is down is given up like other infrastructure, a rate limit later', async () => {
  server.script('m', { status: 503 });
  expect(await failureOf(7)).toMatchObject({ type: 'unavailable', nonRetryable: false });
  expect(await failureOf(8)).toMatchObject({ type: 'unavailable', nonRetryable: true });
  server.script('m', { status: 429 });
  expect(await failureOf(19)).toMatchObject({ type: 'rate_limited', nonRetryable: false });
  expect(await failureOf(20)).toMatchObject({ type: 'rate_limited', nonRetryable: true });
});

test('Retry-After is the delay to the next attempt, within reason; without it the back-off of Temporal counts', async () => {
  const delayFor = async (headers: Record<string, string>): Promise<unknown> => {
    server.script('m', { status: 429, headers });
    return ((await failureOf(1)) as { nextRetryDelay?: unknown }).nextRetryDelay;
  };
  expect(await delayFor({ 'retry-after': '42' })).toBe(42_000);
  expect(await delayFor({ 'retry-after': '86400' })).toBe(600_000);
  expect(await delayFor({ 'retry-after': '0' })).toBe(1000);
  expect(await delayFor({})).toBeUndefined();
});

test('what is refused is not tried again, and carries neither key nor request', async () => {
  server.script('m', { status: 401, body: JSON.stringify({ error: { message: `no ${KEY}` } }) });
  const failure = await failureOf(1);
  expect(failure).toMatchObject({
    nonRetryable: true,
    message: 'house/m: HTTP 401: no [REDACTED]; check the key, and whether it may use this model',
    cause: undefined,
  });
});

test('the third unusable answer is the last, however the attempts are counted', async () => {
  server.script('m', { say: 'no' });
  expect(await failureOf(4)).toMatchObject({ type: 'UnusableAnswer', nonRetryable: false });
  expect(await failureOf(5)).toMatchObject({ type: 'UnusableAnswer', nonRetryable: false });
  expect(await failureOf(9)).toMatchObject({ type: 'UnusableAnswer', nonRetryable: true });
  expect(await readFile(artifact('answer-3.json'), 'utf8')).toContain('"text": "no"');
});
