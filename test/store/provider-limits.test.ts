import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { localLimits, sharedLimits } from '../../src/store/provider-limits.js';

const MINUTE = 60_000;
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'limits-'));
  vi.useFakeTimers({ now: Date.parse('2026-01-01T12:00:00Z'), toFake: ['Date'] });
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true, force: true });
});

test('what one worker notes, another one that knew of no limit respects within seconds, and forgets when asked', async () => {
  const [one, other] = [localLimits(folder), localLimits(folder)];
  expect(await other.admit('openai/key-1', null)).toBeNull();
  const end = Date.now() + 60 * MINUTE;
  await one.note('openai/key-1', end);
  expect(await one.admit('openai/key-1', null)).toBe(end);
  vi.advanceTimersByTime(5000);
  expect(await other.admit('openai/key-1', null)).toBe(end);
  expect(await other.current('openai/key-1')).toBe(end);
  expect(await other.admit('openai/key-2', null)).toBeNull();
  await other.forget('openai/key-1');
  expect(await one.admit('openai/key-1', null)).toBeNull();
});

test('of many that wait for a limit of unknown end, exactly one tries; if it succeeds, the others follow', async () => {
  const workers = Array.from({ length: 10 }, () => localLimits(folder));
  await workers[0]?.note('a/login', null);
  vi.advanceTimersByTime(15 * MINUTE);
  const end = Date.now();
  const answers = await Promise.all(workers.map((limits) => limits.admit('a/login', end)));
  expect(answers.filter((until) => until === null)).toHaveLength(1);
  expect(answers.filter((until) => until !== null)).toEqual(Array(9).fill(end + 2 * MINUTE));
  vi.advanceTimersByTime(2 * MINUTE);
  for (const limits of workers) expect(await limits.admit('a/login', end + 2 * MINUTE)).toBeNull();
});

test('if the one that tries is refused again, the others wait for the next quarter of an hour', async () => {
  const limits = localLimits(folder);
  await limits.note('a/login', null);
  vi.advanceTimersByTime(15 * MINUTE);
  expect(await limits.admit('a/login', Date.now())).toBeNull();
  await limits.note('a/login', null);
  const again = Date.now() + 15 * MINUTE;
  expect(await limits.admit('a/login', Date.now())).toBe(again);
  vi.advanceTimersByTime(15 * MINUTE);
  expect(await limits.admit('a/login', again)).toBeNull();
  expect(await limits.admit('a/login', again)).toBe(Date.now() + 2 * MINUTE);
});

test('names of accounts stay apart in one private folder', async () => {
  const limits = localLimits(folder);
  const accounts = ['a/b', 'a_2fb', '../a', '.', 'Ä', 'a b', 'a', 'A', 'a.probe-1'];
  for (const [index, account] of accounts.entries()) await limits.note(account, Date.now() + (index + 1) * MINUTE);
  const ends = await Promise.all(accounts.map((account) => limits.current(account)));
  expect(ends).toEqual(accounts.map((_, index) => Date.now() + (index + 1) * MINUTE));
  const names = readdirSync(join(folder, 'limits'));
  expect(names).toHaveLength(accounts.length);
  expect(statSync(join(folder, 'limits', names[0] ?? '')).mode & 0o777).toBe(0o600);
});

test('a damaged note, a note of a wrong clock and an unreachable store hold nobody back', async () => {
  const limits = localLimits(folder);
  await limits.note('a', Date.now() + MINUTE);
  const file = join(folder, 'limits', 'a.json');
  const noted = JSON.parse(readFileSync(file, 'utf8')) as object;
  writeFileSync(file, JSON.stringify({ ...noted, until: '2031-01-01T00:00:00.000Z' }));
  expect(await limits.admit('a', null)).toBeNull();
  expect(await limits.current('a')).toBeNull();
  writeFileSync(file, '{"until":');
  expect(await limits.admit('a', null)).toBeNull();
  const fail = () => Promise.reject(new Error('unreachable'));
  const away = sharedLimits({ get: fail, put: fail, putOnce: fail, remove: fail });
  await away.note('a', null);
  await away.forget('a');
  expect(await away.admit('a', null)).toBeNull();
});
