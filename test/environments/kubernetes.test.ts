import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { EnvironmentHandle } from '../../src/environments/environment.js';
import type { Pod } from '../../src/environments/machine/settings.js';
import { startFiles } from '../../src/environments/journal.js';
import { kubernetes } from '../../src/environments/kubernetes/kubernetes.js';
import { MachineGone } from '../../src/environments/machine/machine.js';
import { MachineRefused } from '../../src/environments/machine/machine-refused.js';
import { findExecutable } from '../../src/host/process/find-deno.js';
import { until } from '../commands/project.js';
import {
  CLUSTER,
  evict,
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

  it('is asked rarely about an agent that prints nothing, and its end is noticed at once', async () => {
    const { handle, prepare, start } = await place();
    await prepare();
    const folder = mkdtempSync(join(tmpdir(), 'kubectl-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const calls = join(folder, 'calls');
    const kubectl = `#!/bin/sh\necho "$*" >>${calls}\nexec ${findExecutable('kubectl')} "$@"\n`;
    writeFileSync(join(folder, 'kubectl'), kubectl, { mode: 0o755 });
    await start('sleep 7');
    vi.stubEnv('PATH', `${folder}:${process.env['PATH']}`);
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await kubernetes.inspect(handle, 1, AbortSignal.timeout(100_000))).toMatchObject({ state: 'ended' });
    // An exit status that comes late keeps the time of the pod.
    expect(Date.now() - statSync(startFiles(handle, 1).exit).mtimeMs).toBeLessThan(3000);
    expect(readFileSync(calls, 'utf8').match(/exec /g)?.length).toBeLessThan(4);
  });

  describe('that ends while an agent works makes its start a lost one, and says why', () => {
    const lost = async (more: Partial<Pod>, cause: (made: Awaited<ReturnType<typeof place>>) => unknown) => {
      const made = await place(more);
      await made.prepare();
      await made.start(waiting(made.seconds));
      await made.begun();
      await cause(made);
      expect(await kubernetes.inspect(made.handle, 1, AbortSignal.timeout(100_000))).toEqual({ state: 'dead' });
      return readFileSync(startFiles(made.handle, 1).errors, 'utf8');
    };

    it('by its deletion', async () => {
      const why = lost({}, ({ name }) => kubectlHere('delete', 'pod', name, '--grace-period=1'));
      expect(await why).toMatch(/the pod \S+ was deleted/);
    });

    it('by a lack of memory', async () => {
      // The kernel ends the first process of the pod before the one that fills its memory.
      const fill = 'echo 1000 >/proc/1/oom_score_adj; dd if=/dev/zero of=/dev/shm/all bs=1k count=64000';
      const why = await lost({ memory_mb: 60 }, ({ run }) => run(fill).catch(() => null));
      expect(why).toMatch(/the pod \S+ ended on the node \S+: OOMKilled, it used more memory/);
    });

    it('by the eviction API, as in a drain', async () => {
      const why = await lost({}, ({ name }) => evict(name));
      expect(why).toMatch(/the pod \S+ was deleted/);
    });
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
