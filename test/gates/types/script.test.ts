import { expect, it } from 'vitest';
import { check, newWorkspace, realContext } from '../real-context.js';

const script = (command: string, more: object = {}) =>
  check({ type: 'script', command, description: 'notes are linked', ...more });

it('without a printed verdict the exit code decides', async () => {
  expect(await script('echo fine')).toEqual({ status: 'pass', message: 'notes are linked' });
  expect(await script('echo "2 dead links" >&2; exit 1')).toEqual({
    status: 'fail',
    message: 'notes are linked: exit 1: 2 dead links',
  });
});

it('a printed verdict decides whatever the exit code', async () => {
  expect(await script(`echo '{"passed":true,"message":"ok"}'; exit 3`)).toEqual({
    status: 'pass',
    message: 'ok',
  });
  expect(await script(`echo; echo '{"passed":false}'; exit 0`)).toEqual({
    status: 'fail',
    message: 'notes are linked',
  });
});

it('the detail of a printed verdict is kept', async () => {
  expect(await script(`echo '{"passed":false,"message":"dead","detail":{"links":["a","b"]}}'`)).toEqual({
    status: 'fail',
    message: 'dead',
    detail: { links: ['a', 'b'] },
  });
});

it('what only resembles a verdict leaves the decision to the exit code', async () => {
  for (const output of [
    '{"passed":"true"}',
    '{"passed":false,"message":7}',
    '{"passed":false,"message":null}',
    '[{"passed":false}]',
    'checking: {"passed":false}',
    '{"passed":false} {"passed":false}',
  ]) {
    expect(await script(`echo '${output}'`), output).toMatchObject({ status: 'pass' });
    expect(await script(`echo '${output}'; exit 1`), output).toMatchObject({ status: 'fail' });
  }
});

it('a script that times out fails even after printing that it passed', async () => {
  const { status, message } = await script(`echo '{"passed":true}'; exec sleep 20`, { timeout_secs: 0.3 });
  expect(status).toBe('fail');
  expect(message).toMatch(/^notes are linked: timed out after 0\.3 s/);
});

it('a script that does not exist fails', async () => {
  const { status, message } = await script('./no-such-script.sh');
  expect(status).toBe('fail');
  expect(message).toContain('exit 127 (command not found)');
});

it('a verdict at the head of output that was cut does not count', async () => {
  const context = realContext(await newWorkspace(), { cap: 20 });
  const command = `echo '{"passed":true}'; echo and then a long explanation; exit 1`;
  const gate = { type: 'script', command, description: 'notes are linked' };
  expect((await check(gate, context)).status).toBe('fail');
  const padded = `printf '{"passed":true}     and a long explanation'; exit 1`;
  expect((await check({ ...gate, command: padded }, context)).status).toBe('fail');
});
