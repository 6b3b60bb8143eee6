import fc from 'fast-check';
import { expect, it } from 'vitest';
import { checkGate, GateSpec } from '../../../src/gates/all-gates.js';
import type { VerifierFiles } from '../../../src/gates/gate.js';
import { failedDownload, meanRewards, readRewards } from '../../../src/gates/types/verifier.js';
import { realContext } from '../real-context.js';

const LEFT: VerifierFiles = { exitCode: 0, timedOut: false, output: 'out', json: null, text: null, processes: 0 };

const verdict = (left: Partial<VerifierFiles>, more: object = {}) =>
  checkGate(GateSpec.parse({ type: 'verifier', ...more }), {
    ...realContext('/'),
    verify: () => Promise.resolve({ ...LEFT, ...left }),
  });

it('passes with a reward of 1 or more, whatever the exit status', async () => {
  expect(await verdict({ text: { text: ' 1.0\n' }, exitCode: 3 })).toMatchObject({
    status: 'pass',
    message: 'reward 1',
  });
  expect(await verdict({ text: { text: '2' } })).toMatchObject({ status: 'pass' });
  expect(await verdict({ text: { text: '0.75' } })).toMatchObject({
    status: 'fail',
    message: 'reward 0.75; it passes with at least 1',
    detail: { rewards: { reward: 0.75 }, exit_code: 0, output: 'out' },
  });
  expect(await verdict({ text: { text: '0.75' } }, { pass_reward: 0.5 })).toMatchObject({ status: 'pass' });
  expect(await verdict({ text: { text: '-2.5' } })).toMatchObject({ status: 'fail' });
});

it('keeps all rewards of reward.json, which counts before reward.txt', async () => {
  const json = { text: '{"reward": 0.5, "found": 1, "ok": true}' };
  expect(await verdict({ json, text: { text: '1' } })).toMatchObject({
    status: 'fail',
    detail: { rewards: { reward: 0.5, found: 1, ok: 1 } },
  });
  // Without a key `reward`, the least decides.
  expect(await verdict({ json: { text: '{"a": 1, "b": 0}' } })).toMatchObject({ status: 'fail' });
  expect(await verdict({ json: { text: '{"a": 1, "b": 1}' } })).toMatchObject({ status: 'pass' });
});

it.each([
  ['nothing', {}, 'neither reward.json nor reward.txt'],
  ['an empty file', { text: { text: ' \n' } }, 'reward.txt is empty'],
  ['an empty JSON file', { json: { text: '' }, text: { text: '1' } }, 'reward.json is empty'],
  ['a word', { text: { text: 'passed' } }, 'no finite number: "passed"'],
  ['no finite number', { text: { text: 'inf' } }, 'no finite number'],
  ['a number that is too large', { text: { text: '1e309' } }, 'no finite number'],
  ['a bare number as JSON', { json: { text: '1' } }, 'not a JSON object'],
  ['a text as a reward', { json: { text: '{"reward": "1"}' } }, '"reward" is not a finite number'],
  ['an infinite reward', { json: { text: '{"reward": 1e309}' } }, '"reward" is not a finite number'],
  ['NaN', { json: { text: '{"reward": NaN}' } }, 'not a JSON object'],
  ['no reward', { json: { text: '{}' } }, 'has no reward'],
  ['what is no text', { json: 'unreadable' as const }, 'cannot be read'],
])('is an error for %s, never 0', async (_, left, message) => {
  expect(await verdict(left)).toMatchObject({ status: 'error', message: expect.stringContaining(message) as string });
});

it('is an error at the time limit, whatever was written', async () => {
  expect(await verdict({ timedOut: true, exitCode: null, text: { text: '1' } })).toMatchObject({
    status: 'error',
    message: 'the verifier did not end within 30 s',
  });
});

it('is an error where there is no container', async () => {
  expect(await checkGate(GateSpec.parse({ type: 'verifier' }), realContext('/'))).toMatchObject({ status: 'error' });
});

it('tells of processes that the agent left, which could have written the reward', async () => {
  expect(await verdict({ text: { text: '1' }, processes: 2 })).toMatchObject({ detail: { processes_of_agent: 2 } });
});

it('reads any finite number as it is written', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (reward) => {
      const rewards = { reward };
      expect(readRewards({ json: null, text: { text: String(reward) } })).toEqual({ ok: true, rewards });
      expect(readRewards({ json: { text: JSON.stringify(rewards) }, text: null })).toEqual({
        ok: true,
        rewards: JSON.parse(JSON.stringify(rewards)) as object,
      });
    }),
  );
});

it('never throws, whatever a verifier left', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      readRewards({ json: { text }, text: null });
      readRewards({ json: null, text: { text } });
    }),
  );
});

it('passes with the least rewards by name, or with any', async () => {
  const json = { text: '{"a": 1, "b": 0.5}' };
  expect(await verdict({ json }, { pass_reward: null, min_rewards: { a: 1 } })).toMatchObject({ status: 'pass' });
  expect(await verdict({ json }, { pass_reward: null, min_rewards: { a: 1, b: 0.6, c: 0 } })).toMatchObject({
    status: 'fail',
    message: 'a 1, b 0.5; it passes with at least b 0.6, c 0',
  });
  expect(await verdict({ text: { text: '-1' } }, { pass_reward: null })).toMatchObject({ status: 'pass' });
});

it('takes the mean or the last of the rewards of steps', async () => {
  const of = (steps: Record<string, number>[], more: object = {}) =>
    checkGate(GateSpec.parse({ type: 'step_rewards', ...more }), {
      ...realContext('/'),
      rewards: () => Promise.resolve(steps),
    });
  const steps = [{ reward: 1 }, { reward: 0.5, other: 1 }];
  expect(meanRewards(steps)).toEqual({ reward: 0.75, other: 0.5 });
  expect(await of(steps)).toMatchObject({ status: 'fail', detail: { rewards: { reward: 0.75, other: 0.5 } } });
  expect(await of([...steps, { reward: 1 }], { of: 'last' })).toMatchObject({ status: 'pass' });
  expect(await of([])).toMatchObject({ status: 'error' });
});

it.each([
  ['curl: (6) Could not resolve host: astral.sh', true],
  [
    "W: Failed to fetch http://deb.debian.org/debian/dists/bookworm/InRelease  Temporary failure resolving 'deb.debian.org'",
    true,
  ],
  ["wget: bad address 'example.org'", true],
  ['ERROR: No matching distribution found for pytest==8.4.1', true],
  ['npm error code EAI_AGAIN', true],
  ['error: error sending request for url (https://pypi.org/simple/pytest/)', true],
  ['1 passed, 2 failed to compare', false],
  ['test_download passed', false],
])('finds out whether %j says that a download has failed', (line, isFailure) => {
  expect(failedDownload(`first\n${line}\nlast`)).toBe(isFailure ? line : null);
});

it('notes the first line that says that a download has failed, even if the output is long', async () => {
  const output = `curl: (6) Could not resolve host: x\n${'a line\n'.repeat(2000)}`;
  const { detail } = await verdict({ text: { text: '0' }, output });
  expect(detail).toMatchObject({ failed_download: 'curl: (6) Could not resolve host: x' });
  expect((detail as { output: string }).output.length).toBeLessThan(4100);
});
