import { chmodSync, chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bubblewrap } from '../../src/environments/bubblewrap.js';
import { startFiles } from '../../src/environments/journal.js';
import type { EnvironmentHandle } from '../../src/environments/environment.js';
import { chooseEnvironment } from '../../src/environments/all-environments.js';
import { ownNetworkProblem } from '../../src/environments/network.js';
import { AGENT_FOLDERS } from '../../src/environments/run-folders.js';
import { findExecutable } from '../../src/host/process/find-deno.js';
import { killMarked } from '../../src/host/process/marked-processes.js';
import { until } from '../commands/project.js';
import { compileSources } from '../host/compiled.js';
import { killWhenFinished, processesWith, running, uniqueSeconds } from '../host/processes.js';
import { killed } from './places.js';
import { newFolder, setEnv } from '../host/temporary.js';

const { network, lacking, lacksNetwork } = await chooseEnvironment({ type: 'bubblewrap' });
const why = network === 'isolated' ? '' : ` (skipped: ${lacking ?? lacksNetwork ?? ''})`;
const compiled = await compileSources();
const NOBODY = 65534;
const PATH = '/usr/local/bin:/usr/bin:/bin';
const isRoot = process.getuid?.() === 0;
const caller = compiled.program(`
  import { ownNetworkProblem } from './environments/network.js';
  console.log(await ownNetworkProblem());`);
/** The reason why the user nobody cannot have a network of its own here; empty if it can. */
const nobodyLacks = await whyNotAsNobody();

async function whyNotAsNobody(): Promise<string> {
  if (!isRoot) return 'tests do not run as root';
  const { stdout } = await compiled.run(caller, [], { uid: NOBODY, gid: NOBODY, env: { PATH }, cwd: '/' });
  return String(stdout) === 'null' ? '' : String(stdout);
}

/** A service on the loopback of this machine, like Temporal or a model server. */
async function service(): Promise<number> {
  const server = createServer((_, response) => response.end('answer'));
  onTestFinished(() => void server.close());
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return (server.address() as AddressInfo).port;
}

/** Prints for each port whether it answers. */
const ASK = `for (const port of process.argv.slice(1))
  await fetch('http://127.0.0.1:' + port).then((answer) => answer.text(), () => 'none').then(console.log);`;
const asking = (...ports: number[]): string[] => [
  process.execPath,
  '--input-type=module',
  '-e',
  ASK,
  ...ports.map(String),
];

async function newHandle(ports: number[] | null): Promise<{ handle: EnvironmentHandle; seconds: string }> {
  const home = await newFolder();
  setEnv({ HOME: home });
  const seconds = uniqueSeconds();
  killWhenFinished(seconds);
  const root = join(home, 'state', 'work', 'run');
  const mark = `run-${seconds}`;
  onTestFinished(() => killMarked(mark));
  for (const name of ['fixture', 'bin', 'checks/home', ...AGENT_FOLDERS])
    mkdirSync(join(root, name), { recursive: true });
  const handle: EnvironmentHandle = {
    type: 'bubblewrap',
    root,
    workspace: join(root, 'fixture'),
    journal: join(root, 'agent'),
    mark,
    project: null,
    hidden: [join(home, 'state')],
    ...(ports === null ? {} : { network: { ports } }),
  };
  return { handle, seconds };
}

const request = (argv: string[]) => ({
  start: 1,
  argv,
  env: { PATH },
  stdin: '',
  files: [],
  deadlineSecs: 60,
  idleSecs: null,
});

async function outputOf(handle: EnvironmentHandle, argv: string[]): Promise<string> {
  await bubblewrap.start(handle, request(argv));
  await bubblewrap.inspect(handle, 1, AbortSignal.timeout(120_000));
  const { stdout, stderr } = startFiles(handle, 1);
  return readFileSync(stdout, 'utf8') + readFileSync(stderr, 'utf8');
}

describe.skipIf(network !== 'isolated')(`the network of a sandbox${why}`, () => {
  it('reaches only the permitted ports on the loopback of this machine', async () => {
    const [open, shut] = [await service(), await service()];
    const { handle } = await newHandle([open]);
    // Nothing on stderr either: messages of pasta are not output of the agent.
    expect(await outputOf(handle, asking(open, shut))).toBe('answer\nnone\n');
  });

  it('is shared with the machine if pasta is missing', async () => {
    const port = await service();
    const { handle } = await newHandle(null);
    expect(await outputOf(handle, asking(port))).toBe('answer\n');
  });

  it('also applies to commands that check the work', async () => {
    const port = await service();
    const { handle } = await newHandle([]);
    const [file = '', ...args] = asking(port);
    const command = [file, ...args.map((arg) => `'${arg.replaceAll("'", `'\\''`)}'`)].join(' ');
    const inSandbox = { shown: [] };
    const run = { command, env: { PATH }, timeoutSecs: 60 };
    expect((await bubblewrap.exec(handle, { ...run, inSandbox })).stdout).toBe('none\n');
    // Setup commands come before the agent, so only the user controls them.
    expect((await bubblewrap.exec(handle, run)).stdout).toBe('answer\n');
  });

  it('has its own addresses, which reach the outside', async () => {
    const { handle } = await newHandle([]);
    expect(await outputOf(handle, ['sh', '-c', 'cat /proc/net/route | wc -l'])).toMatch(/^[2-9]\n$/);
  });

  it.each(['pidns', 'group'])('lets the agent end by itself, and ends with it, in %s', async (containment) => {
    setEnv({ LLM_TOOL_TEST_CONTAINMENT: containment });
    const { handle, seconds } = await newHandle([]);
    const script = `trap 'echo ended >log; exit 3' TERM; (setsid sleep ${seconds} &) ; sleep ${seconds} & echo up; wait`;
    await bubblewrap.start(handle, request(['sh', '-c', script]));
    await running(`sleep\0${seconds}`, 2);
    expect(processesWith(handle.workspace).length).toBeGreaterThan(0);
    const end = await killed(bubblewrap, handle);
    expect(end).toMatchObject({ state: 'ended', stopped: 'cancel' });
    if (containment === 'pidns') expect(readFileSync(join(handle.workspace, 'log'), 'utf8')).toBe('ended\n');
    // `pasta` and bwrap, which have the same words on their command lines, end after the agent.
    const left = () => [...processesWith(seconds), ...processesWith(handle.workspace)];
    await until('the end of the agent, pasta and bwrap', () => (left().length === 0 ? true : null));
  });

  it('does not weaken the protection of files', async () => {
    const { handle } = await newHandle([]);
    const script =
      'for f in /etc/x-network /usr/x-network ../checks/x; do (echo x >$f) 2>/dev/null && echo wrote $f; done; :';
    expect(await outputOf(handle, ['sh', '-c', script])).toBe('');
  });

  it('ends with a check that is killed at its time limit', async () => {
    const { handle, seconds } = await newHandle([]);
    const command = `(setsid sleep ${seconds} &); sleep ${seconds}`;
    const inSandbox = { shown: [] };
    const result = await bubblewrap.exec(handle, { command, env: { PATH }, timeoutSecs: 1, inSandbox });
    expect(result).toMatchObject({ timedOut: true, exitCode: null });
    await bubblewrap.kill(handle, 'everything');
    expect(processesWith(seconds)).toEqual([]);
    expect(processesWith(handle.workspace)).toEqual([]);
  });

  it.skipIf(nobodyLacks !== '')(
    `is isolated for a user other than root, without changing the user${nobodyLacks && ` (skipped: ${nobodyLacks})`}`,
    async () => {
      const port = await service();
      const { handle } = await newHandle([]);
      const home = join(handle.root, '..', '..', '..');
      chmodSync(home, 0o755);
      for (const folder of [handle.root, ...['fixture', ...AGENT_FOLDERS].map((name) => join(handle.root, name))])
        chownSync(folder, NOBODY, NOBODY);
      const starter = compiled.program(`
      import { bubblewrap } from './environments/bubblewrap.js';
      const [handle, request] = JSON.parse(process.argv[2]);
      await bubblewrap.start(handle, request);
      await bubblewrap.inspect(handle, 1, AbortSignal.timeout(120_000));`);
      const argv = ['bash', '-c', `id -u; touch file; (: </dev/tcp/127.0.0.1/${port}) 2>/dev/null || echo none`];
      const { stderr } = await compiled.run(starter, [JSON.stringify([handle, request(argv)])], {
        uid: NOBODY,
        gid: NOBODY,
        env: { HOME: home, PATH },
      });
      expect(stderr).toBe('');
      const { stdout } = startFiles(handle, 1);
      expect(readFileSync(stdout, 'utf8')).toBe(`${NOBODY}\nnone\n`);
    },
  );
});

it('names the package to install if pasta is missing', async () => {
  const folder = await newFolder();
  const { stdout } = await compiled.run(caller, [], { env: { PATH: folder } });
  const missing = 'pasta is not on PATH; install passt (apt install passt)';
  expect(String(stdout)).toBe(missing);
  // On this machine it says so only where that is true, and nothing where it works.
  expect((await ownNetworkProblem()) === missing).toBe(findExecutable('pasta') === null);
  if (network === 'isolated') expect(await ownNetworkProblem()).toBeNull();
});

it('says why pasta fails, although a process that it leaves behind holds its output open', async () => {
  const folder = await newFolder();
  const seconds = uniqueSeconds();
  killWhenFinished(seconds);
  const fails = `#!/bin/sh\nsleep ${seconds} &\necho Failed to open tun socket in namespace >&2\nexit 1\n`;
  writeFileSync(join(folder, 'pasta'), fails, { mode: 0o755 });
  const { stdout } = await compiled.run(caller, [], { env: { PATH: `${folder}:${PATH}` } });
  expect(String(stdout)).toMatch(/^pasta cannot create a network here \(Failed to open tun socket in namespace\)/);
  expect(processesWith(seconds)).toEqual([]);
});
