import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bubblewrap, bubblewrapProblem } from '../../src/environments/bubblewrap.js';
import { startFiles } from '../../src/environments/journal.js';
import type { EnvironmentHandle, Place as Chosen } from '../../src/environments/environment.js';
import { AGENT_FOLDERS } from '../../src/environments/run-folders.js';
import { chooseEnvironment } from '../../src/environments/all-environments.js';
import { killMarked } from '../../src/host/process/marked-processes.js';
import { compileSources } from '../host/compiled.js';
import { killWhenFinished, processesWith, running, uniqueSeconds } from '../host/processes.js';
import { killed } from './places.js';
import { newFolder, setEnv } from '../host/temporary.js';

const lacking = await bubblewrapProblem();
const compiled = await compileSources();
const NOBODY = 65534;
const CREDENTIALS = [
  'GOOGLE_APPLICATION_CREDENTIALS',
  'AWS_WEB_IDENTITY_TOKEN_FILE',
  'AZURE_FEDERATED_TOKEN_FILE',
  'TEMPORAL_CONFIG_FILE',
];
const PATH = '/usr/local/bin:/usr/bin:/bin';

interface Place {
  handle: EnvironmentHandle;
  /** The HOME of the user: holds the project, the state and whatever else a test puts there. */
  home: string;
  seconds: string;
}

const put = (file: string, content = '', mode = 0o644): string => {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  chmodSync(file, mode);
  return file;
};

async function newPlace(): Promise<Place> {
  const home = await newFolder();
  setEnv({ HOME: home });
  const seconds = uniqueSeconds();
  killWhenFinished(seconds);
  const root = join(home, 'state', 'work', 'run');
  const mark = `run-${seconds}`;
  onTestFinished(() => killMarked(mark));
  for (const name of ['fixture', 'bin', ...AGENT_FOLDERS]) mkdirSync(join(root, name), { recursive: true });
  const project = join(home, 'project');
  mkdirSync(join(project, 'results'), { recursive: true });
  const handle: EnvironmentHandle = {
    type: 'bubblewrap',
    root,
    workspace: join(root, 'fixture'),
    journal: join(root, 'agent'),
    mark,
    project,
    hidden: [join(home, 'state'), join(project, 'results')],
  };
  return { handle, home, seconds };
}

const request = (argv: string[], env: Record<string, string> = {}) => ({
  start: 1,
  argv,
  env: { PATH, ...env },
  stdin: 'prompt',
  files: [],
  deadlineSecs: 60,
  idleSecs: null,
});

/** The output of a command in the sandbox, including stderr, and its exit code. */
async function inside(
  { handle }: Place,
  command: string,
  env: Record<string, string> = {},
): Promise<{ output: string; exitCode: number | null }> {
  await bubblewrap.start(handle, request(['sh', '-c', `exec 2>&1; ${command}`], env));
  const end = await bubblewrap.inspect(handle, 1, AbortSignal.timeout(120_000));
  const { stdout, stderr } = startFiles(handle, 1);
  return {
    output: readFileSync(stdout, 'utf8') + readFileSync(stderr, 'utf8'),
    exitCode: end.state === 'ended' ? end.exitCode : null,
  };
}

describe.skipIf(lacking !== null)('an agent in bubblewrap', () => {
  it('works in its workspace, gets its prompt, and has its exit status reported', async () => {
    const place = await newPlace();
    const { output, exitCode } = await inside(
      place,
      'pwd; cat; echo; cat /proc/$$/environ | tr "\\0" "\\n" | grep RUN; for d in . ../home ../config ../tmp /tmp /dev/shm; do echo x >$d/file || exit 9; done; exit 4',
    );
    expect(output).toBe(`${place.handle.workspace}\nprompt\nLLM_TOOL_TEST_RUN=${place.handle.mark}/agent\n`);
    expect(exitCode).toBe(4);
    expect(readFileSync(join(place.handle.workspace, 'file'), 'utf8')).toBe('x\n');
    expect(existsSync('/tmp/file')).toBe(false);
  });

  it('can write nowhere else, even as root', async () => {
    const place = await newPlace();
    const shut = ['/etc/x', '/usr/x', '/x', '/run/x', '../bin/x', '/proc/sys/kernel/core_pattern'];
    const { output } = await inside(
      place,
      `for f in ${shut.join(' ')}; do (echo core >$f) 2>/dev/null && echo wrote $f; done; umount /run && echo unmounted; touch ~/x ../x; :`,
      { HOME: place.home },
    );
    expect(output).not.toMatch(/^wrote|^unmounted/m);
    // They are below /tmp, where its writes succeed but have no effect.
    for (const folder of [place.home, place.handle.root]) expect(existsSync(join(folder, 'x'))).toBe(false);
  });

  it('sees nothing of HOME, state, results and project, and no process of the machine', async () => {
    const place = await newPlace();
    const { handle, home } = place;
    put(join(home, '.ssh', 'id'), 'key');
    put(join(home, 'project', 'gates.yaml'), 'key');
    put(join(home, 'project', 'results', 'report.md'), 'key');
    put(join(home, 'state', 'env', 'other.json'), 'key');
    put(join(handle.root, 'agent', '1', 'notes'), 'key');
    const { output } = await inside(
      place,
      `ls -A ${home} ${home}/state ${home}/state/work ${handle.root}; grep -rl key ${home} /proc/[0-9]*/root${home}; ls -d /proc/[0-9]* | wc -l`,
    );
    const listed = output.split('\n').filter(Boolean);
    expect(listed.slice(0, 8)).toEqual([
      ...[`${home}:`, 'state', `${home}/state:`, 'work', `${home}/state/work:`, 'run', `${handle.root}:`, 'bin'],
    ]);
    expect(listed.slice(8, 12)).toEqual(['config', 'fixture', 'home', 'tmp']);
    expect(output).not.toContain('key');
    expect(output).not.toContain('.ssh');
    expect(Number(listed.at(-1))).toBeLessThan(8);
  });

  it.each(CREDENTIALS)('cannot read what %s names, wherever that is', async (name) => {
    const place = await newPlace();
    onTestFinished(() => rmSync('/var/llm-tool-test-keys', { recursive: true }));
    const file = put('/var/llm-tool-test-keys/one', 'secret key');
    setEnv({ [name]: file });
    expect((await inside(place, `cat ${file}`)).output).toMatch(/Permission denied/);
  });

  it('cannot read the files of a list in KUBECONFIG, or those in a folder that DOCKER_CONFIG names', async () => {
    const place = await newPlace();
    onTestFinished(() => rmSync('/var/llm-tool-test-keys', { recursive: true }));
    const [one = '', other = '', inFolder = ''] = ['one', 'other', 'docker/config.json'].map((name) =>
      put(`/var/llm-tool-test-keys/${name}`, 'secret key'),
    );
    setEnv({ KUBECONFIG: `${one}:${other}`, DOCKER_CONFIG: dirname(inFolder) });
    const { output } = await inside(place, `cat ${one}; cat ${other}; cat ${inFolder}`);
    expect(output.trim().split('\n')).toEqual([
      expect.stringMatching(/one: Permission denied/),
      expect.stringMatching(/other: Permission denied/),
      expect.stringMatching(/No such file/),
    ]);
  });

  it('has the programs on its PATH with what they need, even from hidden folders, but read-only', async () => {
    const place = await newPlace();
    const { handle, home } = place;
    const version = join(home, '.nvm', 'v20');
    put(join(version, 'lib', 'node_modules', 'pkg', 'cli.sh'), '#!/bin/sh\necho of a package\n', 0o755);
    mkdirSync(join(version, 'bin'));
    symlinkSync('../lib/node_modules/pkg/cli.sh', join(version, 'bin', 'pkg'));
    put(join(home, '.local', 'bin', 'own'), '#!/bin/sh\necho of mine\n', 0o755);
    put(join(home, '.local', 'share', 'vendor', 'v1'), '#!/bin/sh\necho of a vendor\n', 0o755);
    put(join(home, '.local', 'share', 'vendor', 'auth.json'), 'secret');
    symlinkSync('../share/vendor/v1', join(home, '.local', 'bin', 'vendor'));
    const script = '#!/bin/sh\ncat "$(dirname "$(readlink -f "$0")")/../lib/text"\n';
    put(join(home, 'project', 'package.json'), '{}');
    put(join(home, 'project', 'lib', 'text'), 'of the project\n');
    put(join(home, 'project', 'results', 'report'), 'secret');
    symlinkSync(put(join(home, 'project', 'dist', 'tool'), script, 0o755), join(handle.root, 'bin', 'tool'));
    const path = [join(handle.root, 'bin'), join(version, 'bin'), join(home, '.local', 'bin'), PATH].join(':');
    const { output } = await inside(
      place,
      `pkg; own; vendor; tool; cat ${home}/.local/share/vendor/auth.json ${home}/project/results/report; touch ${version}/bin/x`,
      { PATH: path },
    );
    expect(output).toMatch(/^of a package\nof mine\nof a vendor\nof the project\n/);
    expect(output).not.toContain('secret');
    expect(output.match(/No such file/g)).toHaveLength(2);
    expect(output).toContain('Read-only file system');
  });

  it('has the files that its command line and its environment name', async () => {
    const place = await newPlace();
    const certificate = put(join(place.home, 'ca.pem'), 'certificate\n');
    const { output } = await inside(place, 'cat "$SSL_CERT_FILE"', { SSL_CERT_FILE: certificate });
    expect(output).toBe('certificate\n');
  });

  it('can end by itself when it is stopped, and nothing of it is left', async () => {
    const { handle, seconds } = await newPlace();
    const script = `trap 'echo ended >log; exit 3' TERM; (setsid sleep ${seconds} &) ; sleep ${seconds} & echo up; wait`;
    await bubblewrap.start(handle, request(['sh', '-c', script]));
    await running(`sleep\0${seconds}`, 2);
    expect(await killed(bubblewrap, handle)).toEqual({
      state: 'ended',
      exitCode: 3,
      stopped: 'cancel',
    });
    expect(readFileSync(join(handle.workspace, 'log'), 'utf8')).toBe('ended\n');
    expect(processesWith(seconds)).toEqual([]);
  });

  it('is killed at its deadline, no matter what it ignores', async () => {
    const { handle, seconds } = await newPlace();
    const argv = ['sh', '-c', `trap '' TERM; while :; do sleep ${seconds}; done`];
    await bubblewrap.start(handle, { ...request(argv), deadlineSecs: 0.5 });
    expect(await bubblewrap.inspect(handle, 1, AbortSignal.timeout(120_000))).toMatchObject({
      stopped: 'deadline',
    });
    expect(processesWith(seconds)).toEqual([]);
  });

  it('outlives the process that started it and is found by another', async () => {
    const { handle, seconds } = await newPlace();
    const starter = compiled.program(`
      import { bubblewrap } from './environments/bubblewrap.js';
      await bubblewrap.start(...JSON.parse(process.argv[2]));
      process.kill(process.pid, 'SIGKILL');`);
    const script = `until [ -e go ]; do sleep 0.05; done; echo done; : ${seconds}`;
    await compiled.run(starter, [JSON.stringify([handle, request(['sh', '-c', script])])]);
    expect(await bubblewrap.inspect(handle, 1)).toEqual({ state: 'running' });
    put(join(handle.workspace, 'go'));
    expect(await bubblewrap.inspect(handle, 1, AbortSignal.timeout(120_000))).toMatchObject({ exitCode: 0 });
    expect(readFileSync(startFiles(handle, 1).stdout, 'utf8')).toBe('done\n');
  });

  it.skipIf(process.getuid?.() !== 0)('is confined just as well for a user other than root', async () => {
    const place = await newPlace();
    const { handle, home } = place;
    put(join(home, 'secret'), 'key');
    chmodSync(home, 0o755);
    for (const folder of [handle.root, handle.workspace, ...AGENT_FOLDERS.map((name) => join(handle.root, name))])
      chownSync(folder, NOBODY, NOBODY);
    const starter = compiled.program(`
      import { bubblewrap } from './environments/bubblewrap.js';
      const [handle, request] = JSON.parse(process.argv[2]);
      await bubblewrap.start(handle, request);
      await bubblewrap.inspect(handle, 1, AbortSignal.timeout(120_000));`);
    const script = `id -u >out; touch ${home}/x /etc/x; cat ${home}/secret /proc/[0-9]*/root${home}/secret; ls /proc | grep -c '^[0-9]' >>out; :`;
    const { stderr } = await compiled.run(starter, [JSON.stringify([handle, request(['sh', '-c', script])])], {
      uid: NOBODY,
      gid: NOBODY,
      env: { HOME: home },
    });
    expect(stderr).toBe('');
    const output = startFiles(handle, 1);
    expect(readFileSync(output.stdout, 'utf8')).toBe('');
    const [user, processes] = readFileSync(join(handle.workspace, 'out'), 'utf8').split('\n');
    expect(user).toBe(String(NOBODY));
    expect(Number(processes)).toBeLessThan(8);
  });

  it('is not started if the sandbox cannot be created', async () => {
    const { handle } = await newPlace();
    await expect(
      bubblewrap.start({ ...handle, workspace: join(handle.root, 'none') }, request(['true'])),
    ).rejects.toThrow(/the sandbox could not be created: bwrap: .*none/);
    expect(await bubblewrap.inspect(handle, 1)).toEqual({ state: 'none' });
  });
});

const SHARED = { network: 'shared', lacksNetwork: null };

describe('the choice of an environment', () => {
  /** The choices of a new process, which has not tried bwrap yet, with only these programs. */
  async function choices(bwrap: string | null, { hasEnv = true } = {}): Promise<Record<string, Chosen>> {
    const folder = await newFolder();
    if (hasEnv) symlinkSync('/usr/bin/env', join(folder, 'env'));
    if (bwrap !== null) put(join(folder, 'bwrap'), bwrap, 0o755);
    const chooser = compiled.program(`
      import { chooseEnvironment } from './environments/index.js';
      const all = {};
      for (const wanted of ['local', 'bubblewrap', 'auto']) all[wanted] = await chooseEnvironment({ type: wanted });
      console.log(JSON.stringify(all));`);
    const { stdout } = await compiled.run(chooser, [], { env: { PATH: folder } });
    return JSON.parse(String(stdout)) as Awaited<ReturnType<typeof choices>>;
  }

  it('is as requested; auto falls back to local, and both give advice if bwrap is missing', async () => {
    const missing = 'bwrap is not on PATH; install bubblewrap (apt install bubblewrap)';
    expect(await choices(null)).toEqual({
      local: { type: 'local', lacking: null, ...SHARED },
      bubblewrap: { type: 'bubblewrap', lacking: missing, ...SHARED },
      auto: { type: 'local', lacking: missing, ...SHARED },
    });
  });

  it('gives advice if env, which starts bwrap, is missing', async () => {
    const { auto } = await choices('#!/bin/sh\n', { hasEnv: false });
    expect(auto).toMatchObject({
      type: 'local',
      lacking: 'env is not on PATH; install coreutils (apt install coreutils)',
    });
  });

  it('gives the reason if bwrap cannot create its namespaces', async () => {
    const { auto } = await choices('#!/bin/sh\necho "bwrap: setting up uid map: Permission denied" >&2; exit 1\n');
    expect(auto?.type).toBe('local');
    expect(auto?.lacking).toMatch(
      /^bwrap cannot create its namespaces here \(bwrap: setting up uid map: Permission denied\); allow user namespaces/,
    );
  });

  it.skipIf(lacking !== null)('is bubblewrap if that works', async () => {
    expect(await chooseEnvironment({ type: 'auto' })).toMatchObject({ type: 'bubblewrap', lacking: null });
  });
});
