import { expect, it } from 'vitest';
import { check, newWorkspace, realContext } from './real-context.js';

const succeeds = (command: string, more: object = {}) => check({ type: 'command_succeeds', command, ...more });
const contains = (command: string, substring: string) => check({ type: 'command_output_contains', command, substring });
const matches = (command: string, pattern: string) => check({ type: 'command_output_matches', command, pattern });

it('command_succeeds passes on exit 0, whatever stderr says', async () => {
  expect(await succeeds('echo oops >&2')).toEqual({ status: 'pass', message: 'exit 0' });
});

it('command_succeeds fails with the exit code and what stderr said last', async () => {
  expect(await succeeds('echo first >&2; echo "no such note" >&2; exit 3')).toEqual({
    status: 'fail',
    message: 'exit 3: first | no such note',
  });
});

it('a failure without stderr quotes stdout', async () => {
  expect(await succeeds('echo broken; exit 1')).toEqual({
    status: 'fail',
    message: 'exit 1, stdout: broken',
  });
});

it('a failure keeps only the end of a long stderr', async () => {
  const { status, message } = await succeeds('seq 1 5000 >&2; echo the end >&2; exit 1');
  expect(status).toBe('fail');
  expect(message.endsWith('the end')).toBe(true);
  expect(message).toContain('…');
  expect(message.length).toBeLessThan(1200);
  expect(message).not.toContain('| 100 |');
});

it('a command that does not exist fails with exit 127', async () => {
  const { status, message } = await succeeds('no-such-binary-here');
  expect(status).toBe('fail');
  expect(message).toMatch(/^exit 127 \(command not found\): .*no-such-binary-here/);
});

it('a command that outlives its timeout fails', async () => {
  expect(await succeeds('exec sleep 20', { timeout_secs: 0.2 })).toEqual({
    status: 'fail',
    message: 'timed out after 0.2 s',
  });
});

it('a timeout fails even where the shell could still exit with 0', async () => {
  const context = realContext(await newWorkspace());
  const late: typeof context = {
    ...context,
    exec: async (...call) => ({ ...(await context.exec(...call)), timedOut: true }),
  };
  expect((await check({ type: 'command_succeeds', command: 'true' }, late)).message).toBe('timed out after 30 s');
});

it('a command that is killed by a signal fails', async () => {
  expect(await succeeds('kill -9 $$')).toEqual({ status: 'fail', message: 'ended by a signal' });
});

it('commands run in the workspace', async () => {
  const context = realContext(await newWorkspace());
  await check({ type: 'command_succeeds', command: 'echo hello > made.txt' }, context);
  expect((await check({ type: 'file_contains', path: 'made.txt', substring: 'hello' }, context)).status).toBe('pass');
});

it('command_output_contains takes stdout as it is, blanks and case included', async () => {
  expect(await contains('printf " two  blanks \\n"', ' two  blanks \n')).toMatchObject({ status: 'pass' });
  expect((await contains('echo Hello', 'hello')).status).toBe('fail');
});

it('command_output_contains ignores stderr', async () => {
  expect(await contains('echo needle >&2; echo hay', 'needle')).toEqual({
    status: 'fail',
    message: 'stdout does not contain "needle"; it begins with "hay\\n"',
  });
});

it('output that matches does not help a command that fails', async () => {
  expect(await contains('echo needle; echo sorry >&2; exit 4', 'needle')).toEqual({
    status: 'fail',
    message: 'exit 4: sorry',
  });
  expect((await matches('echo needle; exit 4', 'needle')).status).toBe('fail');
});

it('command_output_contains says that stdout is empty', async () => {
  expect((await contains('true', 'x')).message).toBe('stdout does not contain "x"; it is empty');
});

it('a failed search says when the output was cut', async () => {
  const context = realContext(await newWorkspace(), { cap: 100 });
  const gate = { type: 'command_output_contains', command: 'seq 1 1000', substring: '999' };
  const { status, message } = await check(gate, context);
  expect(status).toBe('fail');
  expect(message).toContain('only the first 100 of 3893 bytes of stdout were kept');
});

it('command_output_matches searches anywhere, single-line unless the pattern says (?m)', async () => {
  expect((await matches('printf "one\\ntwo\\n"', 'w.')).status).toBe('pass');
  expect((await matches('printf "one\\ntwo\\n"', '^two$')).status).toBe('fail');
  expect((await matches('printf "one\\ntwo\\n"', '(?m)^two$')).status).toBe('pass');
  expect((await matches('echo One', 'one')).message).toBe('stdout does not match "one"; it begins with "One\\n"');
});

it('an exception of the harness goes through a gate unchanged', async () => {
  const failure = new Error('the workspace is gone');
  const context = { ...realContext('/nowhere'), exec: () => Promise.reject(failure) };
  for (const gate of [
    { type: 'command_succeeds', command: 'true' },
    { type: 'command_output_contains', command: 'true', substring: 'x' },
    { type: 'command_output_matches', command: 'true', pattern: 'x' },
    { type: 'command_json_path', command: 'true', path: '$', assertion: 'exists' },
    { type: 'script', command: 'true', description: 'x' },
  ]) {
    await expect(check(gate, context)).rejects.toBe(failure);
  }
});
