import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OURS } from '../../src/environments/kubernetes/pod-manifest.js';
import type { Pod } from '../../src/environments/machine/settings.js';
import { findExecutable } from '../../src/host/process/find-deno.js';

/** The variable that leads tests to a cluster in which they may make pods. */
const VARIABLE = 'LLM_TOOL_TEST_KUBECONFIG';

/** An image that the node of that cluster has: busybox, for example. */
export const POD_IMAGE = process.env['LLM_TOOL_TEST_POD_IMAGE'] ?? 'localhost/llm-tool-test-busybox:1';

export const CLUSTER = { kubeconfig: process.env[VARIABLE] ?? '', namespace: 'default' };

/** Runs kubectl in the cluster of the tests, with a text as standard input. */
const kubectlWith = (input: string, ...args: string[]): string =>
  execFileSync('kubectl', args, {
    encoding: 'utf8',
    env: { ...process.env, KUBECONFIG: CLUSTER.kubeconfig },
    input,
    stdio: 'pipe',
  });

/** The same without. */
export const kubectlHere = (...args: string[]): string => kubectlWith('', ...args);

/** Returns why tests cannot use pods here; null if they can. */
export function whyNoCluster(): Promise<string | null> {
  if (CLUSTER.kubeconfig === '')
    return Promise.resolve(`${VARIABLE} does not name the kubeconfig of a cluster for tests`);
  if (findExecutable('kubectl') === null) return Promise.resolve('kubectl is not on PATH');
  const { status, stderr } = spawnSync('kubectl', ['get', 'pods', '--request-timeout=10s'], {
    encoding: 'utf8',
    env: { ...process.env, KUBECONFIG: CLUSTER.kubeconfig },
  });
  return Promise.resolve(status === 0 ? null : `the cluster does not answer: ${stderr.trim()}`);
}

/** The names of the pods of runs with this text in their names. */
export const podsOf = (text: string): string[] =>
  kubectlHere('get', 'pods', '-o', 'name')
    .split('\n')
    .filter((name) => name.includes(text));

/** The names of objects that runs have made, of these kinds. */
export const ofOurs = (kinds: string, ...more: string[]): string[] =>
  kubectlHere('get', kinds, '-l', OURS, '-o', 'name', ...more)
    .split('\n')
    .filter(Boolean);

/** Ends a pod by the eviction API, as a drain of its node does. */
export function evict(name: string): void {
  const eviction = JSON.stringify({ apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name } });
  const path = `/api/v1/namespaces/${CLUSTER.namespace}/pods/${name}/eviction`;
  kubectlWith(eviction, 'create', '--raw', path, '-f', '-');
}

const LIST = `for process in /proc/[0-9]*; do echo "$(tr '\\0' ' ' <$process/cmdline)"; done 2>/dev/null`;

/** Runs a script in a pod and returns its output; empty if it cannot be run. */
export const insidePod = (name: string, script: string): string =>
  spawnSync('kubectl', ['exec', name, '--', 'sh', '-c', script], {
    encoding: 'utf8',
    env: { ...process.env, KUBECONFIG: CLUSTER.kubeconfig },
  }).stdout;

/** The processes of a pod with this text in their command lines; none if it is gone. */
export const processesInPod = ({ name }: Pick<Pod, 'name'>, text: string): string[] =>
  insidePod(name, LIST)
    .split('\n')
    .filter((line) => line.includes(text));

/** The variable that names the folder of a cluster of this machine, with a file NAME.pid for each of its programs. */
const FOLDER = process.env['LLM_TOOL_TEST_CLUSTER_FOLDER'] ?? '';

/** The reason why programs of the cluster cannot be killed; null if they can. */
export const whyNoKills = FOLDER === '' ? 'LLM_TOOL_TEST_CLUSTER_FOLDER does not name the folder of a cluster' : null;

/** Kills a program of the cluster and starts it again, in the same network. */
export function restart(name: 'kubelet' | 'apiserver'): void {
  const file = join(FOLDER, `${name}.pid`);
  const pid = Number(readFileSync(file, 'utf8'));
  const argv = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1);
  process.kill(pid, 'SIGKILL');
  const inNetwork = [`--net=/run/netns/${process.env['K8S_NS'] ?? 'k8s'}`, ...argv];
  const start = (): void => {
    const child = spawn('nsenter', inNetwork, { detached: true, stdio: 'ignore' });
    child.unref();
    // It ends by itself while the port of the one before is still taken.
    child.once('exit', (code) => {
      if (code !== null) start();
    });
    writeFileSync(file, `${child.pid}\n`);
  };
  start();
}
