import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { JudgeSettings } from '../../src/scenario/plan.js';
import { createModelServer, type ModelServer } from '../commands/model-server.js';
import { createJudgedRun, type JudgedRun } from './judged-run.js';

const KEY = 'house-key-4711-xyzzy';
const answer = (score: number): string =>
  JSON.stringify({ scores: { a: score }, confidence: 1, issues: [], highlights: [] });
const GOOD = answer(0.5);

let server: ModelServer;
let judged: JudgedRun;

const judgedRun = (votes: number, more: Partial<JudgeSettings> = {}): Promise<JudgedRun> =>
  createJudgedRun(
    { votes, ...more },
    {
      prices: { m: { input_per_mtok: 1000, output_per_mtok: 5000 } },
      providers: { house: { base_url: server.address, api_key: '${HOUSE_KEY}', free: true } },
    },
    { HOUSE_KEY: KEY },
  );

beforeEach(async () => {
  server = await createModelServer();
  judged = await judgedRun(1);
});
afterEach(async () => {
  await server.close();
});

const attempt = (number: number): Promise<unknown> => judged.attempt(number);
const failureOf: JudgedRun['failureOf'] = (number, info) => judged.failureOf(number, info);

test('does not ask again for an answer that was saved before the worker died', async () => {
  server.script('m', { say: GOOD });
  expect(await attempt(1)).toEqual({ score: 0.5, passed: true });
  await rm(join(judged.root, 'steps', 'judge.json'));
  expect(await attempt(2)).toEqual({ score: 0.5, passed: true });
  expect(server.askedOf('m')).toHaveLength(1);
  expect(existsSync(judged.artifact('answer-2.json'))).toBe(false);
});

test('saves an answer in the next attempt if it could not be saved, without asking again', async () => {
  server.script('m', { say: GOOD });
  await mkdir(judged.root, { recursive: true });
  const inTheWay = join(judged.root, 'answers');
  await writeFile(inTheWay, '');
  await expect(attempt(1)).rejects.toThrow(inTheWay);
  await rm(inTheWay);
  expect(await attempt(2)).toEqual({ score: 0.5, passed: true });
  expect(server.askedOf('m')).toHaveLength(1);
});

test('waits for days through a rate limit or a server that is down, since the agent has already been paid for', async () => {
  server.script('m', { status: 503 });
  expect(await failureOf(49)).toMatchObject({ type: 'unavailable', nonRetryable: false });
  server.script('m', { status: 429 });
  expect(await failureOf(49)).toMatchObject({ type: 'rate_limited', nonRetryable: false });
  const waiting = (times: number, since: number) => ({
    heartbeatDetails: { times, why: 'rate_limited', since: new Date(since).toISOString() },
  });
  const DAY_MS = 24 * 3600_000;
  expect(await failureOf(900, waiting(899, Date.now() - 7 * DAY_MS))).toMatchObject({ nonRetryable: false });
  expect(await failureOf(900, waiting(899, Date.now() - 9 * DAY_MS))).toMatchObject({ nonRetryable: true });
});

test('gives up after some attempts if something else than a model answers, because its address is probably wrong', async () => {
  const page = { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>portal</html>' };
  server.script('m', page);
  const message = 'house/m: answered with text/html, not JSON; check base_url';
  expect(await failureOf(7)).toMatchObject({ type: 'unreadable', message, nonRetryable: false });
  expect(await failureOf(8)).toMatchObject({ type: 'unreadable', message, nonRetryable: true });
});

test('attempts that waited for a limit do not count towards giving up a slow judge', async () => {
  judged = await judgedRun(1, { timeout_secs: 0.2 });
  const waited = { heartbeatDetails: { times: 40, why: 'rate_limited', since: new Date().toISOString() } };
  server.script('m', 'silence');
  expect(await failureOf(42, waited)).toMatchObject({ type: 'timeout', nonRetryable: false });
  expect(await failureOf(43, waited)).toMatchObject({ type: 'timeout', nonRetryable: true });
});

test('takes Retry-After, within bounds, as the delay to the next attempt; without it the back-off of Temporal applies', async () => {
  const delayFor = async (headers: Record<string, string>): Promise<unknown> => {
    server.script('m', { status: 429, headers });
    return ((await failureOf(1)) as { nextRetryDelay?: unknown }).nextRetryDelay;
  };
  expect(await delayFor({ 'retry-after': '42' })).toBe(42_000);
  expect(await delayFor({ 'retry-after': '86400' })).toBe(900_000);
  expect(await delayFor({ 'retry-after': '0' })).toBe(1000);
  expect(await delayFor({})).toBeUndefined();
});

test('does not try a refused request again, and its error contains neither key nor request', async () => {
  server.script('m', { status: 401, body: JSON.stringify({ error: { message: `no ${KEY}` } }) });
  const failure = await failureOf(1);
  expect(failure).toMatchObject({
    nonRetryable: true,
    message: 'house/m: HTTP 401: no [REDACTED]; check the key and whether it has access to this model',
    cause: undefined,
  });
});

test('gives up after the third unusable answer, no matter how attempts are counted', async () => {
  server.script('m', { say: 'no' });
  expect(await failureOf(4)).toMatchObject({ type: 'UnusableAnswer', nonRetryable: false });
  expect(await failureOf(5)).toMatchObject({ type: 'UnusableAnswer', nonRetryable: false });
  expect(await failureOf(9)).toMatchObject({ type: 'UnusableAnswer', nonRetryable: true });
  expect(await readFile(judged.artifact('answer-3.json'), 'utf8')).toContain('"text": "no"');
});

test('says when an answer was cut off at the limit of output tokens', async () => {
  const body = {
    id: 'c1',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: GOOD.slice(0, 20) }, finish_reason: 'length' }],
    usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 },
  };
  server.script('m', { status: 200, body: JSON.stringify(body) });
  expect(await failureOf(1)).toMatchObject({
    type: 'UnusableAnswer',
    message: expect.stringMatching(/the answer was cut off at the model's limit of output tokens$/) as string,
  });
});

test('does not ask again for earlier votes when a later one fails', async () => {
  judged = await judgedRun(3);
  server.script('m', { say: answer(0.3) }, { status: 503 }, { say: answer(0.4) }, { say: answer(0.8) });
  expect(await failureOf(1)).toMatchObject({ type: 'unavailable', nonRetryable: false });
  expect(await attempt(2)).toEqual({ score: 0.5, passed: true });
  expect(server.askedOf('m')).toHaveLength(4);
});

test('does not count a modified answer as a vote, and asks the judge no more', async () => {
  judged = await judgedRun(2);
  server.script('m', { say: answer(0.3) }, { status: 503 });
  expect(await failureOf(1)).toMatchObject({ type: 'unavailable' });
  const file = judged.artifact('answer-1.json');
  await writeFile(file, (await readFile(file, 'utf8')).replace('0.3', '1.0'));
  expect(await failureOf(2)).toMatchObject({
    type: 'Altered',
    nonRetryable: true,
    message: 'answer 1 of the judge was modified',
  });
  expect(server.askedOf('m')).toHaveLength(2);
});

test('counts unusable answers across all votes', async () => {
  judged = await judgedRun(2);
  server.script('m', { say: 'no' }, { say: 'no' }, { say: GOOD }, { say: 'no' });
  expect(await failureOf(1)).toMatchObject({ nonRetryable: false });
  expect(await failureOf(2)).toMatchObject({ nonRetryable: false });
  expect(await failureOf(3)).toMatchObject({ type: 'UnusableAnswer', nonRetryable: true });
});
