import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { LIMITS } from '../../src/lib/limits.js';
import { local } from '../../src/environments/local.js';
import { killMarked } from '../../src/host/process/marked-processes.js';
import { readResults } from '../../src/store/results-log.js';
import { resultsLog, opaqueId } from '../../src/store/results-folder.js';
import { latch } from '../workflows/stub-activities.js';
import { createAgentRun } from './agent-run.js';

test('any attempt adopts a running agent, no matter how many attempts were lost before', async () => {
  const one = await createAgentRun();
  const first = one.begin(1);
  await one.untilStarts(1);
  first.stop();
  await expect(first.result).rejects.toMatchObject({ type: 'WorkerStopped' });
  const late = one.begin(51);
  await late.begun();
  expect(await one.stateOf(1)).toBe('running');
  await one.letGo();
  expect(await late.result).toMatchObject({ ending: 'done' });
  expect(one.starts()).toBe(1);
});

test('the time limit of the agent step includes rebuilding the workspace: each setup command and the health check', async () => {
  const { runPlan } = await createAgentRun({ setup: ['true', 'true'], target: { health_check: 'true' } });
  const steps = [{ kind: 'agent', timeoutSecs: 300, rebuildSecs: 600 + 600 + 30 }];
  expect(runPlan).toMatchObject({ unfit: null, steps });
});

test('an agent that starts again finds the results of the commands before it, and its step has time for these', async () => {
  const one = await createAgentRun({ before: ['echo given >> given.txt'] });
  expect(one.runPlan?.steps).toMatchObject([{ kind: 'command' }, { kind: 'agent', timeoutSecs: 300, rebuildSecs: 30 }]);
  await one.perform(({ runPostScript }) => runPostScript(one.run, 0));
  const attempt = one.begin(1);
  await one.untilStarts(1);
  await killMarked(opaqueId(one.run.run));
  await one.untilStarts(2);
  expect(readFileSync(join(one.root, 'workspace', 'given.txt'), 'utf8')).toBe('given\n');
  await one.letGo();
  expect(await attempt.result).toMatchObject({ ending: 'done' });
});

test('an agent that is killed from outside is started again, in a fresh workspace if it has no session', async () => {
  const one = await createAgentRun();
  const attempt = one.begin(1);
  await one.untilStarts(1);
  one.killAgent();
  await one.untilStarts(2);
  await one.letGo();
  expect(await attempt.result).toMatchObject({ ending: 'done' });
  const { record } = await one.step();
  expect(record).toMatchObject({ starts: 2, ending: 'done' });
  expect(record.history.join('\n')).toMatch(
    /start 1 of the agent ended: .*killed from outside \(SIGKILL\).*\n.*start 2 .* began in a fresh workspace/,
  );
});

test.each([
  ['answered', [{ type: 'message', role: 'assistant', text: 'I begin.' }], 1],
  ['not answered', [{ type: 'message', role: 'user', text: 'do it' }], undefined],
])('work that is thrown away is counted in the result if the model had %s', async (_, prints, counted) => {
  const one = await createAgentRun({ prints });
  const attempt = one.begin(1);
  await one.untilStarts(1);
  one.killAgent();
  await one.untilStarts(2);
  await one.letGo();
  await attempt.result;
  await one.perform(({ writeReport }) =>
    writeReport(one.run, { failures: [], cancelled: false, startedAt: 0, endedAt: 1 }),
  );
  const [line] = readResults(resultsLog(one.deps.resultsPath)).results;
  expect(line?.begun_anew).toBe(counted);
});

test('an agent that is killed from outside each time counts as an error, never as a fail', async () => {
  const one = await createAgentRun();
  const attempt = one.begin(1);
  for (const start of [1, 2, 3]) {
    await one.untilStarts(start);
    one.killAgent();
  }
  expect(await attempt.result).toMatchObject({ ending: 'unable', completed: false });
  expect(await attempt.result).not.toHaveProperty('again');
  const { record } = await one.step();
  expect(record).toMatchObject({ starts: 3, exit_code: 137 });
  expect(record.message).toMatch(/killed from outside \(SIGKILL\)/);
});

test('an agent that hangs after its final result ends by that result, and the time after it does not count', async () => {
  const one = await createAgentRun({
    prints: [
      { type: 'message', role: 'assistant', text: 'It is done.' },
      { type: 'result', ending: 'done', exit_code: null },
    ],
  });
  const exitMs = 1500;
  one.deps.limits = { ...LIMITS, exitMs };
  const begun = Date.now();
  const attempt = one.begin(1);
  expect(await attempt.result).toMatchObject({ ending: 'done', completed: true });
  const elapsed = Date.now() - begun;
  const { record, warnings } = await one.step();
  expect(record).toMatchObject({ ending: 'done', exit_code: null, starts: 1 });
  expect(record.duration_ms).toBeLessThanOrEqual(elapsed - exitMs);
  expect(warnings?.join()).toMatch(/did not exit after its final result/);
});

test('a worker that is stopped just as it follows a second start ends cleanly, and the next one adopts the agent', async () => {
  const one = await createAgentRun();
  const unhandled = vi.fn();
  process.on('unhandledRejection', unhandled);
  const inspect = local.inspect.bind(local);
  let followed = 0;
  // Not a spy: that would handle the rejection.
  local.inspect = (handle, start, untilEnd) => {
    if (untilEnd !== undefined) followed += 1;
    if (untilEnd !== undefined && followed === 2) first.stop();
    return inspect(handle, start, untilEnd);
  };
  onTestFinished(() => {
    process.off('unhandledRejection', unhandled);
    local.inspect = inspect;
  });
  const first = one.begin(1);
  await one.untilStarts(1);
  await killMarked(opaqueId(one.run.run));
  await expect(first.result).rejects.toMatchObject({ type: 'WorkerStopped' });
  expect(followed).toBe(2);
  await setImmediate(); // an unhandled rejection is reported after the promises of this turn
  expect(unhandled).not.toHaveBeenCalled();
  await one.untilStarts(2);
  const next = one.begin(2);
  await one.letGo();
  expect(await next.result).toMatchObject({ ending: 'done' });
  expect(one.starts()).toBe(2);
});

test('an attempt that finds its agent lost after another has taken over does not touch the next start', async () => {
  const one = await createAgentRun();
  const [lost, awake] = [latch(), latch()];
  const inspect = local.inspect.bind(local);
  const frozen = vi.spyOn(local, 'inspect').mockImplementation(async (handle, start, untilEnd) => {
    const end = await inspect(handle, start, untilEnd);
    if (untilEnd === undefined) return end;
    frozen.mockRestore(); // later attempts are not affected
    lost.open();
    await awake.opened;
    return end;
  });
  onTestFinished(() => frozen.mockRestore());
  const first = one.begin(1);
  await one.untilStarts(1);
  await killMarked(opaqueId(one.run.run));
  await lost.opened;
  const second = one.begin(2);
  await one.untilStarts(2);
  awake.open();
  await expect(first.result).rejects.toMatchObject({ type: 'Superseded' });
  expect(await one.stateOf(2)).toBe('running');
  await one.letGo();
  expect(await second.result).toMatchObject({ ending: 'done' });
  expect(one.starts()).toBe(2);
});
