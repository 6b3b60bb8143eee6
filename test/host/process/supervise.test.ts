import { spawnSync } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { startSupervised, supervisorErrors } from '../../../src/host/process/supervise.js';
import { until } from '../../commands/project.js';
import { allProcesses, killProcess, openFiles, running } from '../processes.js';
import { newFolder, setEnv } from '../temporary.js';
import { inEachMode, nothingLeft, PATH, prepare, start } from '../supervised.js';

/** Sets a PATH with what the supervisor needs but perl, and returns it. */
async function withoutPerl(): Promise<string> {
  const bin = join(await newFolder(), 'bin');
  await mkdir(bin);
  for (const name of 'sh cat grep kill mkfifo rm setsid sleep unshare wc chmod seq tr'.split(' '))
    await symlink(`/usr/bin/${name}`, join(bin, name));
  setEnv({ PATH: bin });
  return bin;
}

/** The processes that have a file open; null if there are none. */
function openedBy(path: string): number[] | null {
  const found = allProcesses().filter((pid) => openFiles(pid).includes(path));
  return found.length === 0 ? null : found;
}

inEachMode((test) => {
  test('records its exit status and both outputs, and leaves nothing', async () => {
    const agent = await start('echo out; echo err >&2; exit 7');
    expect(await agent.end()).toEqual({ state: 'ended', exitCode: 7, stopped: null });
    expect([agent.out(), agent.err()]).toEqual(['out\n', 'err\n']);
    expect(await nothingLeft(agent)).toBe(true);
  });

  test('its output is complete when it ends, 10 MB on each stream', async () => {
    const agent = await start("head -c 10000000 /dev/zero | tr '\\0' o; head -c 10000000 /dev/zero | tr '\\0' e >&2");
    expect(await agent.end()).toMatchObject({ exitCode: 0 });
    expect(agent.out() === 'o'.repeat(10_000_000)).toBe(true);
    expect(agent.err() === 'e'.repeat(10_000_000)).toBe(true);
  });

  test('cannot shorten or write over what it has printed', async () => {
    const agent = await start(
      `echo first; for f in /proc/self/fd/1 /proc/$$/fd/1 /proc/$PPID/fd/1; do true >$f; done 2>/dev/null; truncate -s 0 /dev/stdout 2>/dev/null; echo last`,
    );
    await agent.end();
    expect(agent.out()).toBe('first\nlast\n');
  });

  test('sealed, what it starts can neither write into its output nor read it by the names in /proc', async () => {
    const attempts = [
      'echo forged >/proc/$PPID/fd/1',
      'echo forged >>/proc/$PPID/fd/1',
      'timeout 1 cat /proc/$PPID/fd/1',
    ];
    const forge = attempts.map((one) => `(exec sh -c '${one}; true' >/dev/null 2>&1)`).join('; ');
    const agent = await start(`echo first; ${forge}; echo last`, { sealed: true });
    await agent.end();
    expect(agent.out()).toBe('first\nlast\n');
  });

  test('its output is complete without perl, too', async () => {
    const bin = await withoutPerl();
    const agent = await start('seq 200000; echo err >&2; : >/proc/self/fd/1; echo end', {
      env: { PATH: bin },
    });
    expect(await agent.end()).toMatchObject({ exitCode: 0 });
    expect([agent.out().split('\n').length, agent.out().slice(-4), agent.err()]).toEqual([200_002, 'end\n', 'err\n']);
    expect(await nothingLeft(agent)).toBe(true);
  });

  test.each(['with perl', 'without perl'])(
    'counts as lost, %s, if what passes on its output was killed, however it ends',
    async (how) => {
      const env = { PATH: how === 'with perl' ? PATH : await withoutPerl() };
      const agent = await start('trap "" PIPE; echo up; until [ -e go ]; do sleep 0.02; done; exit 0', {
        env,
      });
      const relays = (): number[] | null => openedBy(join(agent.folder, 'out'));
      await until('the relays', relays);
      await until('output', () => (agent.out() === 'up\n' ? true : null));
      // Only now, because the supervisor itself has the file open for a moment when it makes it.
      for (const pid of relays() ?? []) killProcess(pid);
      await writeFile(join(agent.cwd, 'go'), '');
      expect(await agent.end()).toEqual({ state: 'dead' });
      expect(await supervisorErrors(agent.folder)).toContain('passes on the output of the agent was killed');
      expect(await nothingLeft(agent, 2000)).toBe(true);
    },
  );

  test.each([
    ['was killed', 'SIGKILL', { state: 'dead' }],
    ['still works', null, { state: 'ended', exitCode: 0, stopped: null }],
  ] as const)('its end is known only if what works beside it %s', async (_, signal, end) => {
    const agent = await prepare('until [ -e go ]; do sleep 0.02; done');
    await mkdir(agent.folder);
    await writeFile(join(agent.folder, 'beside'), `exec sleep ${agent.seconds}\n`);
    await startSupervised(agent);
    const [beside = 0] = await running(`sleep\0${agent.seconds}`);
    if (signal !== null) killProcess(beside, signal);
    await writeFile(join(agent.cwd, 'go'), '');
    expect(await agent.end()).toEqual(end);
    expect(await nothingLeft(agent, 2000)).toBe(true);
  });

  test('reads the given file as its input', async () => {
    const agent = await prepare('cat; echo end');
    await writeFile(agent.stdin, 'prompt\nwith é');
    await startSupervised(agent);
    await agent.end();
    expect(agent.out()).toBe('prompt\nwith éend\n');
  });

  test('gets its arguments unchanged', async () => {
    const args = ['', 'a b', "it's", '"', '$HOME', '`id`', '*', 'new\nline', '-n', '\\', 'é'];
    const agent = await start('', { argv: ['printf', '<%s>', ...args] });
    await agent.end();
    expect(agent.out()).toBe(args.map((arg) => `<${arg}>`).join(''));
  });

  test('gets the given environment and its mark, and nothing from the supervisor', async () => {
    const agent = await prepare('', { argv: ['cat', '/proc/self/environ'] });
    await startSupervised({ ...agent, env: { PATH, HOME: '/nowhere', ODD: 'a\nb=c' } });
    await agent.end();
    const seen = agent
      .out()
      .split('\0')
      .filter((entry) => entry !== '' && !/^(PWD|SHLVL|_)=/.test(entry));
    expect(seen.sort()).toEqual(['HOME=/nowhere', `LLM_TOOL_TEST_RUN=${agent.mark}`, 'ODD=a\nb=c', `PATH=${PATH}`]);
  });

  test('is started even if its PATH has none of the utilities that the supervisor uses', async () => {
    const agent = await start('', {
      argv: [process.execPath, '-p', 'process.env.PATH'],
      env: { PATH: '/nowhere' },
    });
    expect(await agent.end()).toMatchObject({ exitCode: 0 });
    expect(agent.out()).toBe('/nowhere\n');
  });

  test('the supervisor does not use programs of the same names on the PATH of the agent', async () => {
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

  test('ignores no signals', async () => {
    const agent = await start('', { argv: ['grep', 'SigIgn', '/proc/self/status'] });
    await agent.end();
    expect(agent.out()).toMatch(/^SigIgn:\s+0+\n$/);
  });

  test('inherits no open files of the supervisor', async () => {
    const agent = await start('', { argv: ['ls', '/proc/self/fd'] });
    await agent.end();
    // Files that this process has inherited may be open; descriptor 3 is the folder that ls reads.
    expect(agent.out()).toBe(spawnSync('ls', ['/proc/self/fd'], { encoding: 'utf8' }).stdout);
  });

  test.each([
    ['does not exist', 'no-such-agent', 127],
    ['cannot be executed', '/etc/passwd', 126],
  ])('a program that %s ends with the status that shells use', async (_, program, exitCode) => {
    const agent = await start('', { argv: [program] });
    expect(await agent.end()).toEqual({ state: 'ended', exitCode, stopped: null });
    expect(agent.err()).toContain(program);
  });

  test('reports a missing workspace', async () => {
    const agent = await prepare('true');
    await startSupervised({ ...agent, cwd: join(agent.cwd, 'gone') });
    expect(await agent.end()).toMatchObject({ state: 'ended', exitCode: 126 });
    expect(agent.err()).toContain('gone');
  });

  test('has the status of the signal if it is killed from outside', async () => {
    const agent = await start('kill -KILL $$');
    expect(await agent.end()).toEqual({ state: 'ended', exitCode: 137, stopped: null });
  });

  test('its files are private to the user', async () => {
    const agent = await start('echo secret; exec sleep $S');
    await running(`sleep\0${agent.seconds}`);
    for (const path of ['', 'out', 'err', 'sup', 'ctl']) {
      expect(spawnSync('stat', ['-c', '%a', join(agent.folder, path)], { encoding: 'utf8' }).stdout).toMatch(
        /^[67]00\n$/,
      );
    }
  });
});
