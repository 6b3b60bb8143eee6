import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { followBuild, type ImageBuild, leaveBuilds } from '../../../src/environments/container/follow-build.js';
import { waitUntil } from '../../../src/host/process/waiting.js';

/*
 * A program in place of docker: it builds what `script` says, and keeps the names of images as files. The behaviour of
 * a real daemon is tested in test/long/tasks.test.ts and test/chaos/container-builds.test.ts.
 */
let folder: string;
let path: string | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'llm-tool-test-builds-'));
  path = process.env['PATH'];
  for (const name of ['bin', 'images', 'context', 'state']) mkdirSync(join(folder, name));
  writeFileSync(join(folder, 'context', 'Dockerfile'), 'FROM scratch\n');
  const docker = `#!/bin/sh
cd '${folder}'
case "$1 $2" in
'image inspect') test -e "images/$3" ;;
'info --format') echo '${folder}' ;;
'rm --force') echo "$@" >>removed ;;
*) echo x >>builds; . ./script && touch "images/$4" ;;
esac
`;
  writeFileSync(join(folder, 'bin', 'docker'), docker);
  chmodSync(join(folder, 'bin', 'docker'), 0o755);
  process.env['PATH'] = `${join(folder, 'bin')}:${path ?? ''}`;
});
afterEach(() => {
  process.env['PATH'] = path;
  rmSync(folder, { recursive: true });
});

const script = (text: string): void => {
  writeFileSync(join(folder, 'script'), text);
};
const lines = (name: string): string[] =>
  existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8').trim().split('\n') : [];
const until = async (what: string, check: () => boolean): Promise<void> => {
  if ((await waitUntil(() => (check() ? true : null), 20_000)) === null) throw new Error(`no ${what}`);
};

function build(follower: string, more: Partial<ImageBuild> = {}) {
  const stop = new AbortController();
  const seen: string[] = [];
  const ended = followBuild({
    command: 'docker',
    builds: join(folder, 'state'),
    context: join(folder, 'context'),
    hash: 'a1b2',
    timeoutSecs: 60,
    follower,
    round: 'sweep/1',
    signal: stop.signal,
    isCancelled: () => true,
    onProgress: (line) => seen.push(line),
    ...more,
  });
  ended.catch(() => undefined);
  return { ended, stop, seen };
}

it('builds once for all who follow, and tells them the last line', async () => {
  script('echo Step 1; until [ -e go ]; do sleep 0.05; done');
  const [one, other] = [build('one'), build('other')];
  await until('line', () => one.seen.includes('Step 1') && other.seen.includes('Step 1'));
  writeFileSync(join(folder, 'go'), '');
  expect(await Promise.all([one.ended, other.ended])).toEqual([null, null]);
  expect(lines('builds')).toEqual(['x']);
  expect(readdirSync(join(folder, 'state')).filter((name) => !name.includes('.lock'))).toEqual([]);
});

it('goes on when the worker ends that follows it, and the next one finds it', async () => {
  script('until [ -e go ]; do sleep 0.05; done');
  const first = build('one', { isCancelled: () => false });
  await until('build', () => lines('builds').length === 1);
  first.stop.abort();
  await expect(first.ended).rejects.toThrow();
  const next = build('one');
  writeFileSync(join(folder, 'go'), '');
  expect(await next.ended).toBeNull();
  expect(lines('builds')).toEqual(['x']);
});

it('ends when the last of those who follow is cancelled, and not before', async () => {
  script('echo $$ >pid; until [ -e go ]; do sleep 0.05; done');
  const [one, other] = [build('one'), build('other')];
  const followers = join(folder, 'state', 'a1b2', 'followers');
  await until('followers', () => existsSync(followers) && readdirSync(followers).length === 2);
  await until('build', () => existsSync(join(folder, 'pid')) && lines('pid')[0] !== '');
  const [pid = ''] = lines('pid');
  const alive = (): boolean => existsSync(`/proc/${pid}`);
  one.stop.abort();
  await expect(one.ended).rejects.toThrow();
  expect(alive()).toBe(true);
  await leaveBuilds(join(folder, 'state'), 'other');
  await until('end of the build', () => !alive());
  other.stop.abort();
  await expect(other.ended).rejects.toThrow();
});

it('does not repeat a build that failed in the same round, but in another one', async () => {
  script(`echo "The command 'make' returned a non-zero code: 2"; false`);
  const failure = { of: 'dockerfile', reason: "The command 'make' returned a non-zero code: 2" };
  expect(await build('one').ended).toEqual(failure);
  expect(await build('other').ended).toEqual(failure);
  expect(lines('builds')).toEqual(['x']);
  script('true');
  expect(await build('third', { round: 'sweep/2' }).ended).toBeNull();
});

it('tries again after the loss of the daemon, and removes the container of its step', async () => {
  script('echo " ---> Running in abcdef012345"; echo unexpected EOF; false');
  await expect(build('one').ended).rejects.toThrow('docker build failed: unexpected EOF');
  script('true');
  expect(await build('one').ended).toBeNull();
  expect(lines('removed')).toEqual(['rm --force --volumes abcdef012345']);
});

it('ends a build at its time limit, and says what it did last', async () => {
  script('echo Step 1; sleep 60');
  const failure = { of: 'dockerfile', reason: 'not built within 1 s; the last line was: Step 1' };
  expect(await build('one', { timeoutSecs: 1 }).ended).toEqual(failure);
  expect(execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })).not.toContain(folder);
});
