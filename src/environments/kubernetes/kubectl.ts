import { execa } from 'execa';
import { findExecutable } from '#host';
import { defined, parseJson } from '#lib';
import type { Cluster, Pod } from '../machine/settings.js';
import { reasonIn, type ScriptOutput } from '../machine/machine.js';
import { KUBECONFIG } from '../kinds.js';

const ANSWER_MS = 30_000;

export const NOT_FOUND = /\(NotFound\)/;
/** The API server has understood what was asked, and would refuse it again. */
const REFUSED = /\((Forbidden|Invalid|BadRequest|Unauthorized)\)|namespaces "\S+" not found|strict decoding error/;

export const isRefused = (stderr: string): boolean => REFUSED.test(stderr);

/** The arguments of kubectl that choose the cluster, and its environment. */
function access({ kubeconfig, context, namespace }: Cluster): { args: string[]; env: Record<string, string> } {
  return {
    args: [
      ...(context === undefined ? [] : ['--context', context]),
      ...(namespace === undefined ? [] : ['--namespace', namespace]),
    ],
    env: kubeconfig === undefined ? {} : { [KUBECONFIG]: kubeconfig },
  };
}

interface Call {
  /** Standard input: a text, or the path of a file. */
  input?: string | { file: string };
  /** File that gets the output, of which none is returned. */
  outputTo?: string;
  timeoutMs?: number;
  /** Ends it. */
  signal?: AbortSignal;
}

/** Runs `kubectl`. Never pass secrets as arguments: every user of the host can read them. */
export async function kubectl(
  cluster: Cluster,
  args: readonly string[],
  { input, outputTo, timeoutMs = ANSWER_MS, signal }: Call = {},
): Promise<ScriptOutput> {
  const { args: chosen, env } = access(cluster);
  const { exitCode, stdout, stderr, timedOut, cause } = await execa('kubectl', [...chosen, ...args], {
    reject: false,
    encoding: 'buffer',
    env,
    stripFinalNewline: false,
    maxBuffer: 256 * 1024 * 1024,
    timeout: timeoutMs,
    ...defined({ cancelSignal: signal }),
    ...(typeof input === 'string' ? { input } : input === undefined ? { stdin: 'ignore' } : { stdin: input }),
    ...(outputTo === undefined ? {} : { stdout: { file: outputTo } }),
  });
  const text = Buffer.from(stderr).toString();
  const why = timedOut ? `kubectl gave no answer within ${timeoutMs / 1000} s` : String(cause);
  return {
    exitCode: exitCode ?? -1,
    // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- it is undefined if a file gets it
    stdout: Buffer.from(stdout ?? ''),
    stderr: exitCode === undefined && text === '' ? why : text,
  };
}

/** The settings that kubectl would use for a scenario; they are kept for the time of a run. */
export async function findCluster(
  wanted: Pick<Pod, 'kubeconfig' | 'context' | 'namespace'>,
): Promise<{ found: Cluster } | { found: null; why: string }> {
  if (findExecutable('kubectl') === null)
    return { found: null, why: 'kubectl is not on PATH; install it (https://kubernetes.io/docs/tasks/tools/)' };
  const { exitCode, stdout, stderr } = await kubectl(wanted, ['config', 'view', '--minify', '-o', 'json']);
  if (exitCode !== 0) {
    // Without any settings, kubectl uses the service account of the pod that it runs in.
    if (process.env['KUBERNETES_SERVICE_HOST'] !== undefined && wanted.context === undefined) return { found: wanted };
    const remedy = `set ${KUBECONFIG}, choose a context with kubectl config use-context, or set environment.context`;
    return { found: null, why: `kubectl has no cluster: ${reasonIn(stderr)}; ${remedy}` };
  }
  const view = parseJson(stdout.toString()) as
    { 'current-context'?: string; contexts?: { context?: { namespace?: string } }[] } | undefined;
  const context = wanted.context ?? view?.['current-context'];
  const namespace = wanted.namespace ?? view?.contexts?.[0]?.context?.namespace ?? 'default';
  return { found: { ...defined({ kubeconfig: wanted.kubeconfig, context }), namespace } };
}

/** The rights that runs need: verb and resource. */
const RIGHTS = [
  ['create', 'pods'],
  ['get', 'pods'],
  ['list', 'pods'],
  ['delete', 'pods'],
  ['create', 'pods/exec'],
] as const;
const RIGHTS_SHUT = [
  ['patch', 'pods'],
  ['create', 'networkpolicies.networking.k8s.io'],
] as const;

/** Returns why pods cannot be made and used in a cluster; null if they can. `shut`: also without network. */
export async function rightsProblem(
  cluster: Cluster,
  shut: boolean,
): Promise<{ why: string; isFinal: boolean } | null> {
  const rights = [...RIGHTS, ...(shut ? RIGHTS_SHUT : [])];
  const answers = await Promise.all(rights.map(([verb, what]) => kubectl(cluster, ['auth', 'can-i', verb, what])));
  const failed = answers.find(({ stdout }) => !/^(yes|no)/m.test(stdout.toString()));
  if (failed !== undefined) return { why: `the cluster does not answer: ${reasonIn(failed.stderr)}`, isFinal: false };
  const missing = rights.filter((_, index) => !/^yes/m.test(answers[index]?.stdout.toString() ?? ''));
  if (missing.length === 0) return null;
  const names = missing.map(([verb, what]) => `${verb} ${what}`).join(', ');
  const where = cluster.namespace === undefined ? '' : ` in the namespace ${cluster.namespace}`;
  return {
    why: `the rights to ${names} are missing${where}; kubectl auth can-i --list shows what is there`,
    isFinal: true,
  };
}
