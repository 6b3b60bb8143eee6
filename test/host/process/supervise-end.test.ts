import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { killMarked } from '../../../src/host/process/marked-processes.js';
import { startSupervised, stopSupervised } from '../../../src/host/process/supervise.js';
import { waitUntil } from '../../../src/host/process/waiting.js';
import { killProcess, running } from '../processes.js';
import { inEachMode, LONG_MS, nothingLeft, PATH, prepare, start, type Started } from '../supervised.js';

const written = (path: string): Promise<true | null> => waitUntil(() => (existsSync(path) ? true : null), LONG_MS, 10);

const supervisorPid = ({ folder }: Started): number => Number(readFileSync(join(folder, 'sup'), 'utf8').split(' ')[0]);

/** Ignores TERM, and so do the processes it leaves: in separate sessions, in the background and orphaned twice. */
const STUBBORN = `
trap '' TERM HUP INT
setsid sleep $S &
(setsid sh -c 'sleep $S & sleep $S' &)
nohup sleep $S >/dev/null 2>&1 &
echo up >up
sleep $S`;
const STUBBORN_SLEEPS = 5;

/** A module of perl with which a child process begins a second after its parent goes on. */
const LATE_CHILD = `package Late;
BEGIN {
  *CORE::GLOBAL::fork = sub {
    my $pid = CORE::fork();
    select undef, undef, undef, 1 if defined $pid && !$pid;
    return $pid;
  };
}
1;
`;

inEachMode((test, mode) => {
  test('its background processes die with it', async () => {
    const agent = await start(`setsid sleep $S & (sleep $S &) ; sh -c 'trap "" TERM; sleep $S' & exit 0`);
    expect(await agent.end()).toMatchObject({ exitCode: 0, stopped: null });
    expect(await nothingLeft(agent)).toBe(true);
  });

  test('the deadline ends it and everything it started, no matter how they resist', async () => {
    const agent = await prepare(STUBBORN, { deadlineSecs: 4 });
    await startSupervised(agent);
    await running(`sleep\0${agent.seconds}`, STUBBORN_SLEEPS);
    expect(await agent.end()).toMatchObject({ state: 'ended', stopped: 'deadline' });
    expect(await nothingLeft(agent)).toBe(true);
  });

  test('is ended when it has printed nothing for the idle limit', async () => {
    const agent = await start('echo begun; sleep $S', { idleSecs: 3 });
    const startedAt = performance.now();
    expect(await agent.end()).toMatchObject({ state: 'ended', stopped: 'idle' });
    expect(performance.now() - startedAt).toBeGreaterThan(2900);
    expect(agent.out()).toBe('begun\n');
    expect(await nothingLeft(agent)).toBe(true);
  });

  test('is not idle while it prints on either stream', async () => {
    const say = 'i=0; while [ $i -lt 16 ]; do i=$((i+1)); [ $((i%2)) = 0 ] && echo o || echo e >&2; sleep 0.25; done';
    const agent = await start(say, { idleSecs: 3 });
    expect(await agent.end()).toEqual({ state: 'ended', exitCode: 0, stopped: null });
  });

  test('a request to stop lets it end by itself first', async () => {
    const agent = await start(`trap 'echo bye; exit 3' TERM; echo up >up; sleep $S & wait`);
    await written(join(agent.cwd, 'up'));
    expect(await stopSupervised(agent.folder, 'cancel')).toEqual({
      state: 'ended',
      exitCode: 3,
      stopped: 'cancel',
    });
    expect(agent.out()).toBe('bye\n');
    expect(await nothingLeft(agent)).toBe(true);
  });

  test('a request to stop also ends processes that resist', async () => {
    const agent = await start(STUBBORN);
    await running(`sleep\0${agent.seconds}`, STUBBORN_SLEEPS);
    expect(await stopSupervised(agent.folder, 'cancel')).toMatchObject({ state: 'ended', stopped: 'cancel' });
    expect(await nothingLeft(agent)).toBe(true);
  });

  test('nothing is alive once a request to stop has been answered, not even processes that die slowly', async () => {
    const big = `setsid node -e 'const held = Buffer.alloc(3e8, 1); fs.writeFileSync("up", ""); setTimeout(() => held, 1e9)' $S`;
    const agent = await prepare(`trap '' TERM; ${big} & sleep $S`);
    await startSupervised({ ...agent, env: { ...agent.env, PATH: process.env['PATH'] ?? PATH } });
    await written(join(agent.cwd, 'up'));
    await stopSupervised(agent.folder, 'cancel');
    expect(await nothingLeft(agent)).toBe(true);
  });

  test('a request to stop works right after the start', async () => {
    const agent = await start(`trap '' TERM; sleep $S`);
    expect(await stopSupervised(agent.folder, 'cancel')).toMatchObject({ state: 'ended', stopped: 'cancel' });
    expect(await nothingLeft(agent)).toBe(true);
  });

  test('a request to stop works before what passes on its output has begun', async () => {
    const agent = await prepare(`echo up >up; sleep $S`);
    await writeFile(join(agent.cwd, 'Late.pm'), LATE_CHILD);
    const late = { PERL5OPT: '-MLate', PERL5LIB: agent.cwd };
    await startSupervised({ ...agent, env: { ...agent.env, ...late } });
    await written(join(agent.cwd, 'up'));
    expect(await stopSupervised(agent.folder, 'cancel')).toMatchObject({ state: 'ended', stopped: 'cancel' });
  });

  test('a stopped (SIGSTOP) agent can be ended', async () => {
    const agent = await start('echo up >up; kill -STOP $$; sleep $S');
    await written(join(agent.cwd, 'up'));
    expect(await stopSupervised(agent.folder, 'cancel')).toMatchObject({ state: 'ended', stopped: 'cancel' });
    expect(await nothingLeft(agent)).toBe(true);
  });

  test('a request to stop does not change the status of an agent that has ended', async () => {
    const agent = await start('exit 5');
    await agent.end();
    expect(await stopSupervised(agent.folder, 'cancel')).toEqual({
      state: 'ended',
      exitCode: 5,
      stopped: null,
    });
  });

  test('notices the death of the supervisor, and the remaining processes of the run can be ended', async () => {
    const agent = await start(STUBBORN, { idleSecs: 1000 });
    await running(`sleep\0${agent.seconds}`, STUBBORN_SLEEPS);
    const end = agent.end();
    killProcess(supervisorPid(agent));
    expect(await end).toEqual({ state: 'dead' });
    if (mode === 'group') await killMarked(agent.mark);
    expect(await nothingLeft(agent, 10_000)).toBe(true);
  });
});
