import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { EnvironmentHandle } from '../../src/environments/environment.js';
import type { Pod } from '../../src/environments/machine/settings.js';
import { startFiles } from '../../src/environments/journal.js';
import { kubernetes } from '../../src/environments/kubernetes/kubernetes.js';
import { MachineGone } from '../../src/environments/machine/machine.js';
import { MachineRefused } from '../../src/environments/machine/machine-refused.js';
import { until } from '../commands/project.js';
import {
  CLUSTER,
  kubectlHere,
  POD_IMAGE,
  podsOf,
  processesInPod,
  restart,
  whyNoCluster,
  whyNoKills,
} from './cluster.js';
import { confirmed, newPlace, write } from './places.js';

const lacking = await whyNoCluster();
if (lacking !== null) console.warn(`pods are not tested here: ${lacking}`);
else if (whyNoKills !== null) console.warn(`kills of a cluster are not tested here: ${whyNoKills}`);

describe.skipIf(lacking !== null)('a pod', () => {
  async function place(more: Partial<Pod> = {}) {
    const { handle: here, fixture, seconds } = await newPlace();
    write(fixture, { 'given.txt': 'given' });
    const name = `llm-tool-test-${here.mark}`;
    const times = { timeoutSecs: 600, startTimeoutSecs: 60 };
    const pod: Pod = { ...CLUSTER, ...times, name, owner: 'test', image: POD_IMAGE, ...more };
    const root = '/llm-tool-test/run';
    const handle: EnvironmentHandle = { ...here, type: 'kubernetes', root, workspace: `${root}/workspace`, pod };
    onTestFinished(() => kubernetes.dispose(handle));
    const prepare = () => kubernetes.prepare(handle, { fixture, files: {}, programs: {} }, confirmed);
    const env = { PATH: '/usr/bin:/bin' };
    const run = (command: string) => kubernetes.exec(handle, { command, env, timeoutSecs: 200 });
    const start = (command: string) =>
      kubernetes.start(handle, {
        ...{ start: 1, argv: ['sh', '-c', command], env, stdin: '', files: [], deadlineSecs: 300, idleSecs: null },
      });
    const begun = () => until('its begin', () => (processesInPod(pod, seconds).length > 0 ? true : null));
    return { handle, pod, name, seconds, prepare, run, start, begun };
  }

  const waiting = (seconds: string) =>
    `echo x >>runs; echo a; until [ -e go ]; do sleep 0.1; done; echo b; exit 9; : ${seconds}`;

  describe.skipIf(whyNoKills !== null).each(['kubelet', 'apiserver'] as const)('while the %s is killed', (program) => {
    it('loses no command: it runs once, and its own output and exit status are returned', async () => {
      const { prepare, run, begun, seconds } = await place();
      await prepare();
      const result = run(waiting(seconds));
      await begun();
      restart(program);
      await run('touch go');
      expect(await result).toMatchObject({ exitCode: 9, stdout: 'a\nb\n', timedOut: false });
      expect((await run('cat runs')).stdout).toBe('x\n');
    });

    it('loses no agent, and none of its output twice', async () => {
      const { handle, prepare, run, start, begun, seconds } = await place();
      await prepare();
      await start(waiting(seconds));
      await begun();
      restart(program);
      const end = kubernetes.inspect(handle, 1, AbortSignal.timeout(200_000));
      await run('touch go');
      expect(await end).toEqual({ state: 'ended', exitCode: 9, stopped: null });
      expect(readFileSync(startFiles(handle, 1).stdout, 'utf8')).toBe('a\nb\n');
      expect((await run('cat runs')).stdout).toBe('x\n');
    });
  });

  it('that is deleted while a command runs is gone, with its reason', async () => {
    const { prepare, run, begun, name, seconds } = await place();
    await prepare();
    const result = run(waiting(seconds)).catch((error: unknown) => error);
    await begun();
    kubectlHere('delete', 'pod', name, '--grace-period=1');
    const error = await result;
    expect(error).toBeInstanceOf(MachineGone);
    expect(String(error)).toMatch(`the pod ${name} was deleted`);
  });

  it('that is gone makes a start a lost one that its worker had no time to note', async () => {
    const { handle, prepare } = await place();
    await prepare();
    mkdirSync(startFiles(handle, 1).folder, { recursive: true });
    expect(await kubernetes.inspect(handle, 1)).toEqual({ state: 'none' });
    await kubernetes.dispose(handle);
    expect(await kubernetes.inspect(handle, 1)).toEqual({ state: 'dead' });
  });

  it('that is deleted while an agent works makes its start a lost one, and says why', async () => {
    const { handle, prepare, start, begun, name, seconds } = await place();
    await prepare();
    await start(waiting(seconds));
    await begun();
    kubectlHere('delete', 'pod', name, '--grace-period=1');
    expect(await kubernetes.inspect(handle, 1, AbortSignal.timeout(100_000))).toEqual({ state: 'dead' });
    expect(readFileSync(startFiles(handle, 1).errors, 'utf8')).toMatch(`the pod ${name} was deleted`);
  });

  it.each([
    ['whose image is not there', { image: 'localhost/no-such-image:1' }, /ErrImagePull|ImagePullBackOff/],
    ['for which no node has room', { cpus: 10_000 }, /Unschedulable.*Insufficient cpu/],
    ['in a namespace that is not there', { namespace: 'no-such-namespace' }, /not found/],
  ])('%s is refused with the reason', async (_title, more, reason) => {
    const { prepare } = await place({ ...more, startTimeoutSecs: 15 });
    const error = await prepare().catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(MachineRefused);
    expect(String(error)).toMatch(reason);
  });

  it('ends by itself when no worker uses it', async () => {
    const { prepare, pod } = await place({ timeoutSecs: 1 });
    await prepare();
    await until('its end', () =>
      kubectlHere('get', 'pod', pod.name, '-o', 'jsonpath={.status.phase}') === 'Succeeded' ? true : null,
    );
  });

  it('has no token of a service account, and no capabilities', async () => {
    const { prepare, run } = await place();
    await prepare();
    expect((await run('ls /var/run/secrets 2>&1; grep CapEff /proc/self/status')).stdout).toMatch(
      /No such file or directory\nCapEff:\s0+\n/,
    );
  });

  it.runIf(process.env['LLM_TOOL_TEST_POLICIES'] === '1')('without network cannot connect', async () => {
    const { prepare, run } = await place({ network: 'none' });
    await prepare();
    const connect = 'nc -w 2 $KUBERNETES_SERVICE_HOST $KUBERNETES_SERVICE_PORT </dev/null; echo $?';
    expect((await run(connect)).stdout).toBe('1\n');
  });

  it.runIf(process.env['LLM_TOOL_TEST_POLICIES'] !== '1')(
    'without network is refused where nothing enforces policies',
    async () => {
      const { handle, prepare, name } = await place({ network: 'none' });
      const error = await prepare().catch((caught: unknown) => caught);
      expect(error).toBeInstanceOf(MachineRefused);
      expect(String(error)).toMatch('nothing in the cluster enforces NetworkPolicy');
      await kubernetes.dispose(handle);
      expect([podsOf(name), existsSync(startFiles(handle, 1).folder)]).toEqual([[], false]);
    },
  );
});
