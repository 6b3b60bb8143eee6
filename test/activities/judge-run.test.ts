import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createModelServer, type ModelServer } from '../commands/model-server.js';
import { createJudgedRun, type JudgedRun } from './judged-run.js';

const KEY = 'house-key-4711-xyzzy';
const answer = (score: number): string =>
  JSON.stringify({ scores: { a: score }, confidence: 1, issues: [], highlights: [] });
const GOOD = answer(0.5);

let server: ModelServer;
let judged: JudgedRun;

const judgedRun = (votes: number): Promise<JudgedRun> =>
  createJudgedRun(
    { votes },
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
const failureOf = (number: number): Promise<unknown> => judged.failureOf(number);

test('an answer that was kept when the worker died is not asked for again', async () => {
  server.script('m', { say: GOOD });
  expect(await attempt(1)).toEqual({ score: 0.5, passed: true });
  await rm(join(judged.root, 'steps', 'judge.json'));
  expect(await attempt(2)).toEqual({ score: 0.5, passed: true });
  expect(server.askedOf('m')).toHaveLength(1);
  expect(existsSync(judged.artifact('answer-2.json'))).toBe(false);
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
  expect(await readFile(judged.artifact('answer-3.json'), 'utf8')).toContain('"text": "no"');
});

test('a vote that was given is not asked for again when a later one fails', async () => {
  judged = await judgedRun(3);
  server.script('m', { say: answer(0.3) }, { status: 503 }, { say: answer(0.4) }, { say: answer(0.8) });
  expect(await failureOf(1)).toMatchObject({ type: 'unavailable', nonRetryable: false });
  expect(await attempt(2)).toEqual({ score: 0.5, passed: true });
  expect(server.askedOf('m')).toHaveLength(4);
});

test('unusable answers are counted over all votes', async () => {
  judged = await judgedRun(2);
  server.script('m', { say: 'no' }, { say: 'no' }, { say: GOOD }, { say: 'no' });
  expect(await failureOf(1)).toMatchObject({ nonRetryable: false });
  expect(await failureOf(2)).toMatchObject({ nonRetryable: false });
  expect(await failureOf(3)).toMatchObject({ type: 'UnusableAnswer', nonRetryable: true });
});
