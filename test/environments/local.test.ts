import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { chmod } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { local } from '../../src/environments/local.js';
import { startFiles } from '../../src/environments/journal.js';
import { changesIn, collect } from '../../src/environments/workspace-changes.js';
import { markedProcesses } from '../../src/host/process/marked-processes.js';
import { waitUntil } from '../../src/host/process/waiting.js';
import { compileSources } from '../host/compiled.js';
import { killProcess, processesWith, running } from '../host/processes.js';
import { filesOf, newPlace, PATH, prepared, write, type Place } from './places.js';

const compiled = await compileSources();
const NOBODY = 65534;

describe('looking', () => {
  const text = async (place: Place, path: string): Promise<string | null> => {
    const look = await local.lookInside(place.handle, path);
    if (look.kind !== 'file') throw new Error(look.kind);
    return look.text();
  };

  it('finds files and folders', async () => {
    const place = await prepared({ 'a.txt': 'héllo\r\n', 'sub/b.txt': '' });
    expect(await text(place, 'a.txt')).toBe('héllo\r\n');
    expect(await text(place, './sub/../sub/b.txt')).toBe('');
    expect(await local.lookInside(place.handle, 'sub')).toEqual({ kind: 'directory' });
    expect(await local.lookInside(place.handle, '.')).toEqual({ kind: 'directory' });
  });

  it('reports missing files, including paths below a file and dangling symlinks', async () => {
    const { handle } = await prepared({ 'a.txt': '' });
    symlinkSync('nowhere', join(handle.workspace, 'dangling'));
    for (const path of ['none', 'none/deeper', 'a.txt/below', 'dangling']) {
      expect(await local.lookInside(handle, path)).toEqual({ kind: 'missing' });
    }
  });

  it('follows symlinks in the workspace, and says when one leaves it', async () => {
    const place = await prepared({ 'sub/a.txt': 'a' });
    const { handle } = place;
    writeFileSync(join(handle.root, 'secret'), 'secret');
    mkdirSync(join(handle.root, 'fixture-2'));
    writeFileSync(join(handle.root, 'fixture-2', 'x'), 'x');
    symlinkSync('sub/a.txt', join(handle.workspace, 'inside'));
    symlinkSync(join(handle.workspace, 'sub'), join(handle.workspace, 'absolute'));
    symlinkSync('../secret', join(handle.workspace, 'climbing'));
    symlinkSync('/etc', join(handle.workspace, 'etc'));
    symlinkSync('../fixture-2', join(handle.workspace, 'neighbour'));
    expect(await text(place, 'inside')).toBe('a');
    expect(await text(place, 'absolute/a.txt')).toBe('a');
    for (const path of ['climbing', 'etc', 'etc/passwd', 'neighbour/x', '../secret']) {
      expect(await local.lookInside(handle, path)).toEqual({ kind: 'outside' });
    }
  });

  it('says why it cannot read a circle of symlinks, a FIFO (without waiting for a writer), or a socket', async () => {
    const { handle } = await prepared();
    symlinkSync('circle', join(handle.workspace, 'circle'));
    execFileSync('mkfifo', [join(handle.workspace, 'fifo')]);
    const server = createServer().listen(join(handle.workspace, 'socket'));
    onTestFinished(() => void server.close());
    await new Promise((listening) => server.once('listening', listening));
    expect(await local.lookInside(handle, 'circle')).toEqual({ kind: 'unreadable', reason: 'ELOOP' });
    expect(await local.lookInside(handle, 'fifo')).toMatchObject({ kind: 'unreadable' });
    expect(await local.lookInside(handle, 'socket')).toMatchObject({ kind: 'unreadable' });
    expect(await local.lookInside(handle, 'n'.repeat(300))).toMatchObject({
      kind: 'unreadable',
      reason: 'ENAMETOOLONG',
    });
  });

  it('says that the user is not allowed to read a file', async () => {
    const place = await prepared({ shut: 'x' });
    for (const folder of [join(place.handle.root, '..'), place.handle.root]) await chmod(folder, 0o755);
    chmodSync(join(place.handle.workspace, 'shut'), 0o600);
    const looker = compiled.program(`
      import { local } from './environments/local.js';
      const look = await local.lookInside(JSON.parse(process.argv[2]), 'shut');
      console.log(JSON.stringify(look));`);
    const { stdout, stderr } = await compiled.run(looker, [JSON.stringify(place.handle)], { uid: NOBODY });
    expect(stderr).toBe('');
    expect(JSON.parse(String(stdout))).toEqual({ kind: 'unreadable', reason: 'EACCES' });
  });

  it('gives no text for a file that is not UTF-8', async () => {
    const place = await prepared();
    writeFileSync(join(place.handle.workspace, 'latin1'), Buffer.from('caf\xE9', 'latin1'));
    writeFileSync(join(place.handle.workspace, 'cut'), Buffer.from('é').subarray(0, 1));
    expect(await text(place, 'latin1')).toBeNull();
    expect(await text(place, 'cut')).toBeNull();
  });

  it('finds nothing in a workspace that the agent has removed', async () => {
    const { handle } = await prepared({ 'a.txt': '' });
    rmSync(handle.workspace, { recursive: true });
    expect(await local.lookInside(handle, 'a.txt')).toEqual({ kind: 'missing' });
  });
});

describe('collecting', () => {
  const mask = (content: Buffer): Buffer | null => (content.includes('secret') ? Buffer.from('***') : null);

  it('copies the workspace, with secrets masked, and leaves the original', async () => {
    const { handle } = await prepared({ 'a.txt': 'plain', 'sub/b.txt': 'a secret' });
    symlinkSync('/outside', join(handle.workspace, 'link'));
    const to = join(handle.root, 'results', 'fixture');
    await collect(local, handle, to, mask);
    expect(readFileSync(join(to, 'a.txt'), 'utf8')).toBe('plain');
    expect(readFileSync(join(to, 'sub/b.txt'), 'utf8')).toBe('***');
    expect(readlinkSync(join(to, 'link'))).toBe('/outside');
    expect(readFileSync(join(handle.workspace, 'sub/b.txt'), 'utf8')).toBe('a secret');
  });

  it('can be repeated: an existing copy stays, even if the workspace is gone', async () => {
    const { handle } = await prepared({ 'a.txt': 'first' });
    const to = join(handle.root, 'results', 'fixture');
    await collect(local, handle, to, null);
    writeFileSync(join(handle.workspace, 'a.txt'), 'second');
    await collect(local, handle, to, null);
    await local.dispose(handle);
    await collect(local, handle, to, null);
    expect(filesOf(to)).toEqual({ 'a.txt': 'first' });
    expect(readdirSync(join(handle.root, 'results'))).toEqual(['fixture']);
  });

  it('does nothing if the workspace was never created', async () => {
    const { handle } = await newPlace();
    await collect(local, handle, join(handle.root, 'to'), null);
    expect(existsSync(join(handle.root, 'to'))).toBe(false);
  });

  it('ends processes that still write into the workspace', async () => {
    const { handle, seconds } = await prepared();
    const command = `setsid sh -c 'while :; do date >>log; sleep 0.01; done; : ${seconds}' >/dev/null 2>&1 &`;
    await local.exec(handle, { command, env: { PATH }, timeoutSecs: 10, keepBackground: true });
    await waitUntil(() => (existsSync(join(handle.workspace, 'log')) ? true : null), 10_000, 10);
    await collect(local, handle, join(handle.root, 'to'), null);
    expect(processesWith(seconds)).toEqual([]);
  });
});

describe('disposing', () => {
  it('ends background processes, even in separate sessions, and nothing else', async () => {
    const { handle, seconds } = await prepared();
    const other = await prepared();
    const command = (of: Place): string =>
      `setsid sleep ${of.seconds} & (nohup setsid sh -c 'sleep ${of.seconds}; :' &)`;
    for (const place of [{ handle, seconds, fixture: '' }, other]) {
      await local.exec(place.handle, {
        command: command(place),
        env: { PATH },
        timeoutSecs: 10,
        keepBackground: true,
      });
      await running(`sleep\0${place.seconds}`, 2);
    }
    await local.dispose(handle);
    expect(processesWith(seconds)).toEqual([]);
    expect(markedProcesses(handle.mark)).toEqual([]);
    expect(processesWith(`sleep\0${other.seconds}`)).toHaveLength(2);
  });

  it('ends what a killed supervisor has left without a PID namespace', async () => {
    vi.stubEnv('LLM_TOOL_TEST_CONTAINMENT', 'group');
    onTestFinished(() => void vi.unstubAllEnvs());
    const { handle, seconds } = await prepared();
    await local.start(handle, {
      start: 1,
      argv: ['sh', '-c', `setsid sleep ${seconds} & sleep ${seconds}`],
      env: { PATH },
      stdin: '',
      files: [],
      deadlineSecs: 600,
      idleSecs: null,
    });
    await running(`sleep\0${seconds}`, 2);
    killProcess(Number(readFileSync(startFiles(handle, 1).claim, 'utf8').split(' ')[0]));
    await local.dispose(handle);
    expect(processesWith(seconds)).toEqual([]);
  });

  it('removes the workspace and the private folders, keeps raw output and manifests, and can be repeated', async () => {
    const { handle } = await prepared({ 'a.txt': '' });
    write(handle.root, {
      'home/x': '',
      'tmp/x': '',
      'bin/x': '',
      'agent/1/out': 'raw',
      'steps/s.json': '{}',
    });
    await local.dispose(handle);
    await local.dispose(handle);
    expect(filesOf(handle.root)).toEqual({ 'agent/1/out': 'raw', 'steps/s.json': '{}' });
    expect(readdirSync(handle.root)).toEqual(['agent', 'steps']);
  });

  it('removes even read-only folders, and a new workspace can replace them', async () => {
    const { handle, fixture } = await newPlace();
    for (const folder of [join(handle.root, '..'), handle.root, fixture]) await chmod(folder, 0o777);
    const program = compiled.program(`
      import { execFileSync } from 'node:child_process';
      import { local } from './environments/local.js';
      const [handle, fixture] = [JSON.parse(process.argv[2]), process.argv[3]];
      const lock = (folder) => execFileSync('sh', ['-c', 'mkdir -p go/mod; touch go/mod/x; chmod -R a-w go'], { cwd: folder });
      await local.prepare(handle, { fixture, files: { 'home/x': '' }, programs: {} }, async () => {});
      lock(handle.workspace);
      await local.prepare(handle, { fixture, files: {}, programs: {} }, async () => {});
      lock(handle.workspace);
      await local.dispose(handle);`);
    expect(await compiled.run(program, [JSON.stringify(handle), fixture], { uid: NOBODY })).toMatchObject({
      stderr: '',
      exitCode: 0,
    });
    expect(readdirSync(handle.root)).toEqual([]);
  });
});

describe('an agent that tries to shut the harness out', () => {
  it('a workspace that was replaced by a symlink counts as missing', async () => {
    const { handle, fixture } = await prepared({ 'a.txt': 'a' });
    const elsewhere = join(handle.root, 'elsewhere');
    renameSync(handle.workspace, elsewhere);
    symlinkSync(elsewhere, handle.workspace);
    expect(await local.lookInside(handle, 'a.txt')).toEqual({ kind: 'missing' });
    expect(await local.lookInside(handle, '.')).toEqual({ kind: 'missing' });
    expect(await local.exec(handle, { command: 'true', env: { PATH }, timeoutSecs: 9 })).toMatchObject({
      exitCode: 127,
    });
    expect(await changesIn(local, handle, { fixture, files: {} })).toBeNull();
    const kept = join(handle.root, 'kept');
    expect(await collect(local, handle, kept, null)).toEqual([]);
    expect(existsSync(kept)).toBe(false);
  });

  it('reads the file that was looked at, even if something else has taken its place', async () => {
    const place = await prepared({ 'a.txt': 'a' });
    const { handle } = place;
    writeFileSync(join(handle.root, 'secret'), 'secret');
    const look = await local.lookInside(handle, 'a.txt');
    rmSync(join(handle.workspace, 'a.txt'));
    symlinkSync('../secret', join(handle.workspace, 'a.txt'));
    expect(look.kind === 'file' && (await look.text())).toBeNull();
  });

  it.skipIf(process.getuid?.() !== 0)(
    'does not succeed by removing all permissions from a user other than root (skipped unless tests run as root)',
    async () => {
      const { handle, fixture } = await prepared({ 'a.txt': 'a', 'shut/b.txt': 'b' });
      chmodSync(join(handle.root, '..'), 0o755);
      for (const path of ['', 'fixture', 'fixture/a.txt', 'fixture/shut', 'fixture/shut/b.txt'])
        chownSync(join(handle.root, path), NOBODY, NOBODY);
      const program = compiled.program(`
      import { local } from './environments/local.js';
      import { changesIn, collect } from './environments/workspace-changes.js';
      const [handle, fixture, env] = JSON.parse(process.argv[2]);
      const run = (command) => local.exec(handle, { command, env, timeoutSecs: 60 });
      await run('chmod 000 shut .');
      const look = (await local.lookInside(handle, 'a.txt')).kind;
      await run('chmod 000 .');
      const changes = await changesIn(local, handle, { fixture, files: {} });
      await run('chmod 000 .');
      const again = (await run('cat a.txt')).stdout;
      await run('chmod 000 .');
      const leftOut = await collect(local, handle, handle.root + '/kept', null);
      console.log(JSON.stringify({ look, again, leftOut, changed: changes !== null }));`);
      const { stdout, stderr } = await compiled.run(program, [JSON.stringify([handle, fixture, { PATH }])], {
        uid: NOBODY,
        gid: NOBODY,
      });
      expect(stderr).toBe('');
      expect(JSON.parse(String(stdout))).toEqual({
        look: 'file',
        again: 'a',
        changed: true,
        leftOut: [{ path: 'shut', reason: 'permission denied' }],
      });
      expect(readFileSync(join(handle.root, 'kept', 'a.txt'), 'utf8')).toBe('a');
    },
  );
});
