import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, utimesSync } from 'node:fs';
import { appendFile, chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { killMarked, markedProcesses } from '../../src/platform/marked-processes.js';
import { identify, ownIdentity } from '../../src/platform/process-identity.js';
import {
  inspect,
  startSupervised,
  stopSupervised,
  waitForEnd,
  type SupervisedCommand,
  type SupervisedState,
} from '../../src/platform/supervise.js';
import { waitUntil } from '../../src/platform/wait-until.js';
import { compileSources } from './compiled.js';
import { allGone, killWhenFinished, processesWith, running, uniqueSeconds } from './processes.js';
import { newFolder, setEnv } from './temporary.js';

const compiled = await compileSources('platform');

const PATH = '/usr/local/bin:/usr/bin:/bin';
const NOBODY = 65534;
const LONG_MS = 30_000;

/** Why a mode cannot be tested here; null when it can. */
function obstacle(...flags: string[]): string | null {
  const probe = spawnSync('unshare', [
    ...flags,
    '--pid',
    '--fork',
    '--kill-child=KILL',
    '--mount-proc',
    'true',
  ]);
  return probe.status === 0 ? null : `unshare ${flags.join(' ')}: ${String(probe.stderr).trim()}`;
}

const MODES = [
  { mode: 'pidns', skipped: obstacle() },
  { mode: 'userns', skipped: obstacle('--user', '--map-current-user') },
  { mode: 'group', skipped: null },
] as const;

interface Started extends SupervisedCommand {
  /** In the command line of every process that the agent starts. */
  seconds: string;
  out(): string;
  err(): string;
  end(): Promise<SupervisedState>;
}

/** A supervised `sh -c`, `$S` in it a sleep that the test finds again; killed when the test is over. */
async function prepare(shell: string, changes: Partial<SupervisedCommand> = {}): Promise<Started> {
  const root = await newFolder();
  const seconds = uniqueSeconds();
  const [folder, cwd, stdin] = [join(root, 'start'), join(root, 'work'), join(root, 'in')];
  await mkdir(cwd);
  await writeFile(stdin, '');
  const mark = `run-${seconds}`;
  killWhenFinished(seconds);
  killWhenFinished(folder);
  onTestFinished(() => killMarked(mark));
  return {
    seconds,
    folder,
    cwd,
    stdin,
    mark,
    argv: ['sh', '-c', shell],
    env: { PATH, S: seconds },
    deadlineSecs: Number(uniqueSeconds()),
    idleSecs: null,
    out: () => readFileSync(join(folder, 'out'), 'utf8'),
    err: () => readFileSync(join(folder, 'err'), 'utf8'),
    end: () => waitForEnd(folder, AbortSignal.timeout(LONG_MS)),
    ...changes,
  };
}

async function start(shell: string, changes?: Partial<SupervisedCommand>): Promise<Started> {
  const command = await prepare(shell, changes);
  await startSupervised(command);
  return command;
}

/** The supervisor's shells have the agent's command line among their arguments. */
const ofAgent = (command: Started): number[] => {
  const supervisors = processesWith('supervise.sh');
  return processesWith(command.seconds).filter((pid) => !supervisors.includes(pid));
};

/** Whether all that the agent started is gone, at once or within `timeoutMs`; the supervisor's own may still be dying. */
const nothingLeft = async (command: Started, timeoutMs = 0): Promise<boolean> =>
  (await waitUntil(() => (ofAgent(command).length === 0 ? true : null), timeoutMs, 10)) === true &&
  (await allGone(command.folder)) &&
  (await allGone(`sleep\0${command.deadlineSecs}\0`)) &&
  // Its short sleeps carry the run's mark, too.
  (await waitUntil(() => (markedProcesses(command.mark).length === 0 ? true : null), 2000, 10)) === true;

const written = (path: string): Promise<true | null> =>
  waitUntil(() => (existsSync(path) ? true : null), LONG_MS, 10);

const supervisorPid = ({ folder }: Started): number =>
  Number(readFileSync(join(folder, 'sup'), 'utf8').split(' ')[0]);

/** Ignores TERM, and so does what it leaves in sessions of its own, in the background and orphaned twice. */
const STUBBORN = `
trap '' TERM HUP INT
setsid sleep $S &
(setsid sh -c 'sleep $S & sleep $S' &)
nohup sleep $S >/dev/null 2>&1 &
echo up >up
sleep $S`;
const STUBBORN_SLEEPS = 5;

describe.each(MODES)('an agent under supervision, mode $mode', ({ mode, skipped }) => {
  const test = it.skipIf(skipped !== null);
  if (skipped !== null) it.skip(`cannot be tested here: ${skipped}`);
  beforeEach(() => setEnv({ LLM_TOOL_TEST_CONTAINMENT: mode }));

  test('its exit status and its two outputs are recorded, and nothing is left', async () => {
    const agent = await start('echo out; echo err >&2; exit 7');
    expect(await agent.end()).toEqual({ state: 'ended', exitCode: 7, stopped: null });
    expect([agent.out(), agent.err()]).toEqual(['out\n', 'err\n']);
    expect(await nothingLeft(agent)).toBe(true);
  });

  test('its output is complete at its end, 10 MB on either stream', async () => {
    const agent = await start(
      "head -c 10000000 /dev/zero | tr '\\0' o; head -c 10000000 /dev/zero | tr '\\0' e >&2",
    );
    expect(await agent.end()).toMatchObject({ exitCode: 0 });
    expect(agent.out() === 'o'.repeat(10_000_000)).toBe(true);
    expect(agent.err() === 'e'.repeat(10_000_000)).toBe(true);
  });

  test('it reads the given file as its input', async () => {
    const agent = await prepare('cat; echo end');
    await writeFile(agent.stdin, 'prompt\nwith é');
    await startSupervised(agent);
    await agent.end();
    expect(agent.out()).toBe('prompt\nwith éend\n');
  });

  test('its arguments arrive as they are', async () => {
    const args = ['', 'a b', "it's", '"', '$HOME', '`id`', '*', 'new\nline', '-n', '\\', 'é'];
    const agent = await start('', { argv: ['printf', '<%s>', ...args] });
    await agent.end();
    expect(agent.out()).toBe(args.map((arg) => `<${arg}>`).join(''));
  });

  test('its environment is what it was given, its mark, and nothing of the supervisor', async () => {
    const agent = await prepare('', { argv: ['cat', '/proc/self/environ'] });
    await startSupervised({ ...agent, env: { PATH, HOME: '/nowhere', ODD: 'a\nb=c' } });
    await agent.end();
    const seen = agent
      .out()
      .split('\0')
      .filter((entry) => entry !== '' && !/^(PWD|SHLVL|_)=/.test(entry));
    expect(seen.sort()).toEqual([
      'HOME=/nowhere',
      `LLM_TOOL_TEST_RUN=${agent.mark}`,
      'ODD=a\nb=c',
      `PATH=${PATH}`,
    ]);
  });

  test('it is started also where its PATH has none of the utilities that the supervisor uses', async () => {
    const agent = await start('', {
      argv: [process.execPath, '-p', 'process.env.PATH'],
      env: { PATH: '/nowhere' },
    });
    expect(await agent.end()).toMatchObject({ exitCode: 0 });
    expect(agent.out()).toBe('/nowhere\n');
  });

  test('programs of the same names on its PATH are not taken for those that the supervisor uses', async () => {
    const agent = await prepare('echo started');
    const fakes = join(agent.cwd, 'fakes');
    await mkdir(fakes);
    for (const name of ['setsid', 'perl', 'sleep', 'grep', 'wc', 'cat', 'unshare', 'mkfifo']) {
      await writeFile(join(fakes, name), '#!/bin/sh\necho fake\nexit 66\n', { mode: 0o755 });
    }
    await startSupervised({ ...agent, env: { PATH: `${fakes}:${PATH}` } });
    expect(await agent.end()).toMatchObject({ exitCode: 0 });
    expect(agent.out()).toBe('started\n');
  });

  test('it ignores no signal', async () => {
    const agent = await start('', { argv: ['grep', 'SigIgn', '/proc/self/status'] });
    await agent.end();
    expect(agent.out()).toMatch(/^SigIgn:\s+0+\n$/);
  });

  test('it holds no open file of the supervisor', async () => {
    const agent = await start('', { argv: ['ls', '/proc/self/fd'] });
    await agent.end();
    // What this process has inherited itself may be there; descriptor 3 is the folder that ls reads.
    expect(agent.out()).toBe(spawnSync('ls', ['/proc/self/fd'], { encoding: 'utf8' }).stdout);
  });

  test.each([
    ['is not there', 'no-such-agent', 127],
    ['cannot be executed', '/etc/passwd', 126],
  ])('a program that %s ends with the status that shells use', async (_, program, exitCode) => {
    const agent = await start('', { argv: [program] });
    expect(await agent.end()).toEqual({ state: 'ended', exitCode, stopped: null });
    expect(agent.err()).toContain(program);
  });

  test('a workspace that is gone is said', async () => {
    const agent = await prepare('true');
    await startSupervised({ ...agent, cwd: join(agent.cwd, 'gone') });
    expect(await agent.end()).toMatchObject({ state: 'ended', exitCode: 126 });
    expect(agent.err()).toContain('gone');
  });

  test('an agent killed from outside has the status of its signal', async () => {
    const agent = await start('kill -KILL $$');
    expect(await agent.end()).toEqual({ state: 'ended', exitCode: 137, stopped: null });
  });

  test('what it leaves in the background dies with it', async () => {
    const agent = await start(`setsid sleep $S & (sleep $S &) ; sh -c 'trap "" TERM; sleep $S' & exit 0`);
    expect(await agent.end()).toMatchObject({ exitCode: 0, stopped: null });
    expect(await nothingLeft(agent)).toBe(true);
  });

  test('the deadline ends it and all that it started, however that resists', async () => {
    const agent = await prepare(STUBBORN, { deadlineSecs: 1.5 });
    const startedAt = performance.now();
    await startSupervised(agent);
    await running(`sleep\0${agent.seconds}`, STUBBORN_SLEEPS);
    expect(await agent.end()).toMatchObject({ state: 'ended', stopped: 'deadline' });
    expect(performance.now() - startedAt).toBeLessThan(1500 + 5000);
    expect(await nothingLeft(agent)).toBe(true);
  });

  test('it is ended when it has said nothing for the idle time', async () => {
    const agent = await start('echo begun; sleep $S', { idleSecs: 1 });
    const startedAt = performance.now();
    expect(await agent.end()).toMatchObject({ state: 'ended', stopped: 'idle' });
    expect(performance.now() - startedAt).toBeGreaterThan(900);
    expect(agent.out()).toBe('begun\n');
    expect(await nothingLeft(agent)).toBe(true);
  });

  test('it is not idle while it says something on either stream', async () => {
    const say =
      'i=0; while [ $i -lt 12 ]; do i=$((i+1)); [ $((i%2)) = 0 ] && echo o || echo e >&2; sleep 0.25; done';
    const agent = await start(say, { idleSecs: 1.5 });
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

  test('a request to stop ends also what resists, within seconds', async () => {
    const agent = await start(STUBBORN);
    await running(`sleep\0${agent.seconds}`, STUBBORN_SLEEPS);
    const askedAt = performance.now();
    expect(await stopSupervised(agent.folder, 'cancel')).toMatchObject({ state: 'ended', stopped: 'cancel' });
    expect(performance.now() - askedAt).toBeLessThan(5000);
    expect(await nothingLeft(agent)).toBe(true);
  });

  test('nothing is alive when a request to stop has been answered, also what takes long to die', async () => {
    const big = `setsid node -e 'const held = Buffer.alloc(3e8, 1); fs.writeFileSync("up", ""); setTimeout(() => held, 1e9)' $S`;
    const agent = await prepare(`trap '' TERM; ${big} & sleep $S`);
    await startSupervised({ ...agent, env: { ...agent.env, PATH: process.env['PATH'] ?? PATH } });
    await written(join(agent.cwd, 'up'));
    await stopSupervised(agent.folder, 'cancel');
    expect(await nothingLeft(agent)).toBe(true);
  });

  test('a request to stop right after the start is heard', async () => {
    const agent = await start(`trap '' TERM; sleep $S`);
    expect(await stopSupervised(agent.folder, 'cancel')).toMatchObject({ state: 'ended', stopped: 'cancel' });
    expect(await nothingLeft(agent)).toBe(true);
  });

  test('a stopped (SIGSTOP) agent can be ended', async () => {
    const agent = await start('echo up >up; kill -STOP $$; sleep $S');
    await written(join(agent.cwd, 'up'));
    expect(await stopSupervised(agent.folder, 'cancel')).toMatchObject({ state: 'ended', stopped: 'cancel' });
    expect(await nothingLeft(agent)).toBe(true);
  });

  test('an agent that has ended is not stopped any more: its status stands', async () => {
    const agent = await start('exit 5');
    await agent.end();
    expect(await stopSupervised(agent.folder, 'cancel')).toEqual({
      state: 'ended',
      exitCode: 5,
      stopped: null,
    });
  });

  test('the death of the supervisor is seen, and what is left of the run can be ended', async () => {
    const agent = await start(STUBBORN, { idleSecs: 1000 });
    await running(`sleep\0${agent.seconds}`, STUBBORN_SLEEPS);
    const end = agent.end();
    process.kill(supervisorPid(agent), 'SIGKILL');
    expect(await end).toEqual({ state: 'dead' });
    if (mode === 'group') await killMarked(agent.mark);
    expect(await nothingLeft(agent, 2000)).toBe(true);
  });

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

  test('ten starts at once give one agent, and each of them sees it', async () => {
    const agent = await prepare('echo start >>starts; while [ ! -e go ]; do sleep 0.05; done; exit 9');
    await Promise.all(Array.from({ length: 10 }, () => startSupervised(agent)));
    const ends = Array.from({ length: 10 }, () => agent.end());
    await writeFile(join(agent.cwd, 'go'), '');
    for (const end of await Promise.all(ends))
      expect(end).toEqual({ state: 'ended', exitCode: 9, stopped: null });
    expect(readFileSync(join(agent.cwd, 'starts'), 'utf8')).toBe('start\n');
    expect(await nothingLeft(agent, 2000)).toBe(true);
  });

  test('the process that started it may be killed: the agent goes on and another process adopts it', async () => {
    const agent = await prepare(
      'echo start >>starts; while [ ! -e go ]; do sleep 0.05; done; echo out; exit 9',
    );
    const starter = compiled.program(`
      import { startSupervised } from './platform/supervise.js';
      await startSupervised(JSON.parse(process.argv[2]));
      process.kill(0, 'SIGKILL');`);
    await compiled.run(starter, [JSON.stringify(agent)], { detached: true });
    expect(await inspect(agent.folder)).toEqual({ state: 'running' });
    await writeFile(join(agent.cwd, 'go'), '');
    expect(await agent.end()).toEqual({ state: 'ended', exitCode: 9, stopped: null });
    expect(agent.out()).toBe('out\n');
    expect(readFileSync(join(agent.cwd, 'starts'), 'utf8')).toBe('start\n');
  });

  test('its files are for the user alone', async () => {
    const agent = await start('echo secret; exec sleep $S');
    await running(`sleep\0${agent.seconds}`);
    for (const path of ['', 'out', 'err', 'sup', 'ctl']) {
      expect(spawnSync('stat', ['-c', '%a', join(agent.folder, path)], { encoding: 'utf8' }).stdout).toMatch(
        /^[67]00\n$/,
      );
    }
  });
});

describe('mode group', () => {
  beforeEach(() => setEnv({ LLM_TOOL_TEST_CONTAINMENT: 'group' }));

  it('ends what is left in sessions of its own also for a user who may not look into all processes', async () => {
    const agent = await prepare('setsid sleep $S & exit 3');
    for (const path of [dirname(agent.folder), agent.cwd]) await chmod(path, 0o777);
    await chmod(agent.stdin, 0o644);
    const starter = compiled.program(`
      import { startSupervised, waitForEnd } from './platform/supervise.js';
      const command = JSON.parse(process.argv[2]);
      await startSupervised(command);
      console.log(JSON.stringify(await waitForEnd(command.folder, AbortSignal.timeout(20_000))));`);
    const { stdout, stderr } = await compiled.run(starter, [JSON.stringify(agent)], { uid: NOBODY });
    expect(stderr).toBe('');
    expect(JSON.parse(String(stdout))).toEqual({ state: 'ended', exitCode: 3, stopped: null });
    expect(await nothingLeft(agent)).toBe(true);
  });

  it('ends no process of another run whose mark only begins like its own', async () => {
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

describe('what is left of a start', () => {
  async function folderWith(files: Record<string, string>): Promise<string> {
    const folder = await newFolder();
    for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
    return folder;
  }

  const claim = ({ pid, start, boot }: { pid: number; start: string; boot: string }): string =>
    `${pid} ${boot} group ${start}\n`;

  it('nothing: no agent was started here', async () => {
    expect(await inspect(await newFolder())).toEqual({ state: 'none' });
    expect(await inspect('/no/such/folder')).toEqual({ state: 'none' });
    expect(await waitForEnd('/no/such/folder', AbortSignal.timeout(LONG_MS))).toEqual({ state: 'none' });
    expect(await stopSupervised('/no/such/folder', 'cancel')).toEqual({ state: 'none' });
  });

  it('a claim by a live process runs', async () => {
    expect(await inspect(await folderWith({ sup: claim(ownIdentity()) }))).toEqual({ state: 'running' });
  });

  it.each([
    ['of another start of the machine', { boot: '00000000-0000-0000-0000-000000000000' }],
    ['whose pid another process has now', { start: '1' }],
    ['of a process that is gone', { pid: 4_194_303 }],
  ])('a claim %s is dead', async (_, change) => {
    const folder = await folderWith({ sup: claim({ ...ownIdentity(), ...change }) });
    expect(await inspect(folder)).toEqual({ state: 'dead' });
    expect(await waitForEnd(folder, AbortSignal.timeout(LONG_MS))).toEqual({ state: 'dead' });
  });

  it.each([
    ['', 'empty'],
    [`${process.pid} `, 'cut'],
    [claim(ownIdentity()).trimEnd(), 'without its newline'],
  ])('a claim that is half written (%j) is starting at first, then dead', async (text) => {
    const folder = await folderWith({ sup: text });
    expect(await inspect(folder)).toEqual({ state: 'starting' });
    const longAgo = new Date(Date.now() - 60_000);
    utimesSync(join(folder, 'sup'), longAgo, longAgo);
    expect(await inspect(folder)).toEqual({ state: 'dead' });
  });

  it.each(['', '1'])('an exit status that is not complete (%j) is no end', async (exit) => {
    expect(await inspect(await folderWith({ sup: claim(ownIdentity()), exit }))).toEqual({
      state: 'running',
    });
    const dead = claim({ ...ownIdentity(), start: '1' });
    expect(await inspect(await folderWith({ sup: dead, exit }))).toEqual({ state: 'dead' });
  });

  it.each(['cancel', 'deadline', 'idle'])(
    'a complete exit status counts though the supervisor is gone (%s)',
    async (stop) => {
      const sup = claim({ ...ownIdentity(), boot: 'other' });
      expect(await inspect(await folderWith({ sup, exit: '12\n' }))).toEqual({
        state: 'ended',
        exitCode: 12,
        stopped: null,
      });
      const folder = await folderWith({ sup, exit: '143\n', stop: `${stop}\n` });
      expect(await inspect(folder)).toEqual({ state: 'ended', exitCode: 143, stopped: stop });
    },
  );
});

describe('waiting for the end', () => {
  it('hears of the end at once', async () => {
    setEnv({ LLM_TOOL_TEST_CONTAINMENT: 'group' });
    const agent = await start('while [ ! -e go ]; do sleep 0.02; done');
    const end = agent.end();
    await writeFile(join(agent.cwd, 'go'), '');
    const wroteAt = performance.now();
    await end;
    expect(performance.now() - wroteAt).toBeLessThan(700); // the poll alone would take up to a second
  });

  it('rejects when the signal aborts, and leaves the agent alone', async () => {
    const agent = await start('sleep $S');
    const abort = new AbortController();
    const end = waitForEnd(agent.folder, abort.signal);
    abort.abort(new Error('shutting down'));
    await expect(end).rejects.toThrow('shutting down');
    expect(await inspect(agent.folder)).toEqual({ state: 'running' });
    expect(processesWith(agent.folder).length).toBeGreaterThan(0);
  });

  it('leaves no listener on the signal, however long it waits', async () => {
    const folder = await newFolder();
    await writeFile(
      join(folder, 'sup'),
      `${process.pid} ${ownIdentity().boot} group ${identify(process.pid)?.start ?? ''}\n`,
    );
    const { signal } = new AbortController();
    const counted = { added: 0, removed: 0 };
    const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)];
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      counted.added += 1;
      add(...args);
    };
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      counted.removed += 1;
      remove(...args);
    };
    const end = waitForEnd(folder, signal);
    // Every change of the file `exit` that is no end makes it look again.
    for (let round = 0; round < 5; round++) await appendFile(join(folder, 'exit'), '');
    await writeFile(join(folder, 'exit'), '0\n');
    await end;
    expect(counted.added).toBeGreaterThan(0);
    expect(counted.removed).toBe(counted.added);
  });
});
