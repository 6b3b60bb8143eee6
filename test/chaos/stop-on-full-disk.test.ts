import { expect, test } from 'vitest';
import { isAlive, signalProcess, type ProcessIdentity } from '../../src/host/process/process-identity.js';
import { until } from '../commands/project.js';
import { partOf, type Part } from '../commands/engine-parts.js';
import { canMount, fill, mend, onSmallDisks } from './small-disks.js';

test.runIf(canMount)(
  'all parts of an engine whose state disk is full end, both on `engine stop` and on SIGTERM of the keeper',
  async ({ onTestFinished }) => {
    const one = await onSmallDisks();
    onTestFinished(() => one.remove());
    const engine = { ...one.project, state: one.state, results: one.results };
    const part = (name: Part): Promise<ProcessIdentity> => until(`a ${name}`, () => partOf(engine, name));
    const startAndFill = async (): Promise<ProcessIdentity[]> => {
      expect((await one.start(['engine', 'start'])).exitCode).toBe(0);
      const parts = [await part('keeper'), await part('server'), await part('worker')];
      fill(one.state);
      return parts;
    };
    const stopped = await startAndFill();
    const { exitCode, stdout } = await one.start(['engine', 'stop', '--json']);
    expect([exitCode, JSON.parse(stdout)]).toEqual([0, { stopped: true }]);
    expect(stopped.filter(isAlive)).toEqual([]);

    await mend(one.state);
    const ended = await startAndFill();
    const [keeper] = ended;
    if (keeper !== undefined) signalProcess(keeper, 'SIGTERM');
    await until('none of them lives', () => (ended.some(isAlive) ? null : true));
  },
);
