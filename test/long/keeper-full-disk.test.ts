import { expect, test } from 'vitest';
import { kill, partOf } from '../commands/engine-parts.js';
import { canMount, fill, collectStderr, mend, onSmallDisks } from '../chaos/small-disks.js';
import { until } from '../commands/project.js';

test.runIf(canMount)(
  'a keeper whose state disk is full keeps running, and restarts its killed worker once there is space',
  async ({ onTestFinished }) => {
    const one = await onSmallDisks();
    onTestFinished(() => one.remove());
    const engine = { ...one.project, state: one.state, results: one.results };
    expect((await one.start(['engine', 'start'])).exitCode).toBe(0);
    const keeper = await until('a keeper', () => partOf(engine, 'keeper'));
    fill(one.state);
    await kill(engine, 'worker');
    const command = one.start(['engine', 'start', '--json']);
    const output = collectStderr(command);
    await until('the command says what it waits for', () =>
      output().includes(`${one.state}/`) && output().includes('the disk is full: free some space') ? true : null,
    );
    expect(await partOf(engine, 'worker')).toBeNull();
    expect(await partOf(engine, 'keeper')).toEqual(keeper);

    await mend(one.state);
    expect((await command).exitCode).toBe(0);
    await until('another worker', () => partOf(engine, 'worker'));
    const { stdout } = await one.start(['engine', 'status', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      keeper: { pid: keeper.pid, state: 'running' },
      server: { state: 'running' },
      worker: { state: 'running' },
    });
  },
);
