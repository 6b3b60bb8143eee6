import { readFileSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { killMarked, markedProcesses } from '../../../src/host/process/marked-processes.js';
import { inspect, startSupervised, stopSupervised } from '../../../src/host/process/supervise.js';
import { compileSources } from '../compiled.js';
import { allGone, running } from '../processes.js';
import { setEnv } from '../temporary.js';
import { inEachMode, nothingLeft, prepare, start } from '../supervised.js';

const compiled = await compileSources();
const NOBODY = 65534;

inEachMode((test) => {
  test('a second start in the same folder starts no second agent', async () => {
    const agent = await start('echo start >>starts; sleep $S');
    await startSupervised(agent);
    expect(await inspect(agent.folder)).toEqual({ state: 'running' });
    await running(`sleep\0${agent.seconds}`);
    await stopSupervised(agent.folder, 'cancel');
    await startSupervised(agent);
    expect(await inspect(agent.folder)).toMatchObject({ state: 'ended', stopped: 'cancel' });
    expect(readFileSync(join(agent.cwd, 'starts'), 'utf8')).toBe('start\n');
    expect(await nothingLeft(agent, 2000)).toBe(true);
  });

  test('ten concurrent starts give one agent, and each of them sees it', async () => {
    const agent = await prepare('echo start >>starts; while [ ! -e go ]; do sleep 0.05; done; exit 9');
    await Promise.all(Array.from({ length: 10 }, () => startSupervised(agent)));
    const ends = Array.from({ length: 10 }, () => agent.end());
    await writeFile(join(agent.cwd, 'go'), '');
    for (const end of await Promise.all(ends)) expect(end).toEqual({ state: 'ended', exitCode: 9, stopped: null });
    expect(readFileSync(join(agent.cwd, 'starts'), 'utf8')).toBe('start\n');
    expect(await nothingLeft(agent, 2000)).toBe(true);
  });

  test('survives the death of the process that started it, and another process adopts it', async () => {
    const agent = await prepare('echo start >>starts; while [ ! -e go ]; do sleep 0.05; done; echo out; exit 9');
    const starter = compiled.program(`
      import { startSupervised } from './host/process/supervise.js';
      await startSupervised(JSON.parse(process.argv[2]));
      process.kill(0, 'SIGKILL');`);
    await compiled.run(starter, [JSON.stringify(agent)], { detached: true });
    expect(await inspect(agent.folder)).toEqual({ state: 'running' });
    await writeFile(join(agent.cwd, 'go'), '');
    expect(await agent.end()).toEqual({ state: 'ended', exitCode: 9, stopped: null });
    expect(agent.out()).toBe('out\n');
    expect(readFileSync(join(agent.cwd, 'starts'), 'utf8')).toBe('start\n');
  });
});

describe('mode group', () => {
  beforeEach(() => setEnv({ LLM_TOOL_TEST_CONTAINMENT: 'group' }));

  it('ends processes in separate sessions, even for a user who cannot inspect all processes', async () => {
    const agent = await prepare('setsid sleep $S & exit 3');
    for (const path of [dirname(agent.folder), agent.cwd]) await chmod(path, 0o777);
    await chmod(agent.stdin, 0o644);
    const starter = compiled.program(`
      import { startSupervised, waitForEnd } from './host/process/supervise.js';
      const command = JSON.parse(process.argv[2]);
      await startSupervised(command);
      console.log(JSON.stringify(await waitForEnd(command.folder, AbortSignal.timeout(120_000))));`);
    const { stdout, stderr } = await compiled.run(starter, [JSON.stringify(agent)], { uid: NOBODY });
    expect(stderr).toBe('');
    expect(JSON.parse(String(stdout))).toEqual({ state: 'ended', exitCode: 3, stopped: null });
    expect(await nothingLeft(agent)).toBe(true);
  });

  it('does not end processes of another run with a mark that only begins like its own', async () => {
    const other = await prepare('echo up >up; sleep $S');
    const longer = { ...other, mark: `${other.mark}0` };
    onTestFinished(() => killMarked(longer.mark));
    await startSupervised(longer);
    await running(`sleep\0${other.seconds}`);
    const agent = await start('exit 0', { mark: other.mark });
    await agent.end();
    expect(await allGone(agent.folder)).toBe(true);
    expect(await inspect(longer.folder)).toEqual({ state: 'running' });
    expect(markedProcesses(longer.mark).length).toBeGreaterThan(0);
  });
});
