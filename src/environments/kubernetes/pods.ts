import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { defined, parseJson } from '#lib';
import type { EnvironmentHandle } from '../environment.js';
import type { Pod } from '../machine/settings.js';
import { MachineRefused } from '../machine/machine-refused.js';
import { writeRecord } from '../machine/machine-record.js';
import { assertAnswered, reasonIn, type ScriptOutput } from '../machine/machine.js';
import { isRefused, kubectl, NOT_FOUND } from './kubectl.js';
import { CONTAINER, OURS, podManifest, policyManifest, shutLabel } from './pod-manifest.js';
import { markedScript, provenArgs, readProven, readProvenErrors } from './pod-scripts.js';
import { type PodDocument, type PodState, readPodState } from './pod-state.js';

/** Exit status of what was killed. */
const KILLED = 137;
const POLL_MS = 500;
/** A script that has printed nothing for this long is given up, and run again. */
const SCRIPT_MS = 120_000;
/** For this long, a worker waits for an API server or a node that does not answer. */
const AWAY_MS = 180_000;
const PAUSES_MS = [200, 500, 1000, 2000];
const LONGEST_PAUSE_MS = 5000;
/** A pod whose node does not confirm its end by then is removed all the same. */
const END_SECS = 10;

/** @throws Error if the handle has no pod */
export function podOf({ pod }: EnvironmentHandle): Pod {
  if (pod === undefined) throw new Error('the environment has no pod');
  return pod;
}

/**
 * Returns how a pod is; null if it does not exist.
 *
 * @throws Error if the API server does not answer
 */
async function stateOfPod(pod: Pod): Promise<PodState | null> {
  const answer = await kubectl(pod, ['get', 'pod', pod.name, '-o', 'json']);
  if (answer.exitCode !== 0 && NOT_FOUND.test(answer.stderr)) return null;
  assertAnswered(`kubectl get pod ${pod.name}`, answer);
  return readPodState((parseJson(answer.stdout.toString()) ?? {}) as PodDocument);
}

/** The reason why a pod is not there any more, for people. */
export async function whyOver(pod: Pod): Promise<string | null> {
  const state = await stateOfPod(pod).catch(() => null);
  if (state === null) return `the pod ${pod.name} was deleted`;
  return state.state === 'over' ? `the pod ${pod.name} ${state.why}` : null;
}

/** The data that goes into and comes out of a script, in place of the script itself and of a text. */
interface Streams {
  inputFile?: string;
  outputTo?: string;
  /** Reads the end of the output that went to the file. */
  tail?: () => Promise<Buffer>;
  timeoutMs?: number;
  signal?: AbortSignal;
}

/**
 * Runs a script in a pod until its end is proven, again and again while the API server or the node is away: it must not
 * matter that it runs more than once. Returns null if the pod is gone.
 *
 * @throws Error if the pod cannot be reached for a long time, and the signal's reason on abort
 */
export async function runInPod(pod: Pod, script: string, streams: Streams = {}): Promise<ScriptOutput | null> {
  const giveUpAt = performance.now() + AWAY_MS;
  for (let attempt = 0; ; attempt += 1) {
    const { answer, why, isKilled } = await tryInPod(pod, script, streams);
    if (answer !== null) return answer;
    streams.signal?.throwIfAborted();
    const state = await stateOfPod(pod).catch(() => undefined);
    // Nothing has run in a pod that waits: none is ever started again.
    if (state === null || (state !== undefined && state.state !== 'running')) return null;
    // Together with everything else of the run, or by the kernel.
    if (isKilled && state !== undefined) return { exitCode: KILLED, stdout: Buffer.alloc(0), stderr: 'killed' };
    if (performance.now() > giveUpAt) throw new Error(`the pod ${pod.name} cannot be reached: ${why}`);
    await sleep(PAUSES_MS[attempt] ?? LONGEST_PAUSE_MS);
  }
}

async function tryInPod(
  pod: Pod,
  script: string,
  { inputFile, outputTo, tail, timeoutMs = SCRIPT_MS, signal }: Streams,
): Promise<{ answer: ScriptOutput | null; why: string; isKilled: boolean }> {
  const token = `llm-tool-test-${randomBytes(8).toString('hex')}`;
  const given = inputFile === undefined ? undefined : script;
  const input = inputFile === undefined ? markedScript(token, script) : { file: inputFile };
  const args = [
    'exec',
    '-i',
    '--pod-running-timeout=10s',
    pod.name,
    '-c',
    CONTAINER,
    '--',
    ...provenArgs(token, given),
  ];
  const { exitCode, stdout, stderr } = await kubectl(pod, args, {
    input,
    timeoutMs,
    ...defined({ signal }),
    ...(outputTo === undefined ? {} : { outputTo }),
  });
  const out = readProven(token, tail === undefined ? stdout : await tail());
  const errors = readProvenErrors(token, stderr);
  if (out !== null && errors !== null)
    return { answer: { exitCode: out.exitCode, stdout: out.output, stderr: errors }, why: '', isKilled: false };
  const why = reasonIn(stderr) || `kubectl exec ended with ${exitCode} before the script did`;
  return { answer: null, why, isKilled: exitCode === KILLED };
}

/**
 * Creates the pod of a run, and waits until it runs.
 *
 * @throws MachineRefused if it never will, and what `confirm` throws, which is called again and again
 */
export async function createPod(handle: EnvironmentHandle, confirm: () => Promise<void>): Promise<void> {
  const pod = podOf(handle);
  await removeUnused(pod);
  await apply(pod, podManifest(pod, handle.mark));
  const giveUpAt = performance.now() + pod.startTimeoutSecs * 1000;
  for (;;) {
    const state = await stateOfPod(pod);
    await confirm();
    if (state === null) throw new Error(`the pod ${pod.name} was deleted before it ran`);
    if (state.state === 'over')
      throw new (state.isFinal === true ? MachineRefused : Error)(`the pod ${pod.name} ${state.why}`);
    if (state.state === 'running') {
      await writeRecord(handle, { id: state.uid, image: state.imageId });
      return;
    }
    const text = `the pod ${pod.name} of the image ${pod.image} does not start: ${state.why}`;
    if (state.isFinal) throw new MachineRefused(text);
    if (performance.now() > giveUpAt)
      throw new MachineRefused(`${text}; environment.start_timeout_secs is ${pod.startTimeoutSecs}`);
    await sleep(POLL_MS);
  }
}

/** @throws MachineRefused if the API server will never accept it */
async function apply(pod: Pod, manifest: object): Promise<void> {
  const { exitCode, stderr } = await kubectl(pod, ['create', '-f', '-'], { input: JSON.stringify(manifest) });
  if (exitCode === 0) return;
  const text = `cannot create the pod ${pod.name}: ${explained(stderr)}`;
  throw isRefused(stderr) ? new MachineRefused(text) : new Error(text);
}

/** The reason that the API server gives, with a remedy. */
function explained(stderr: string): string {
  const reason = reasonIn(stderr);
  return /violates PodSecurity/.test(stderr) ? `${reason}; set environment.user to a user that is not root` : reason;
}

/** Says why the API server would not accept the pod of a run; null if it would. */
export async function refusal(pod: Pod): Promise<{ why: string; isFinal: boolean } | null> {
  const { exitCode, stderr } = await kubectl(pod, ['create', '--dry-run=server', '-f', '-'], {
    input: JSON.stringify(podManifest(pod, 'trial')),
  });
  return exitCode === 0 ? null : { why: explained(stderr), isFinal: isRefused(stderr) };
}

/** Removes pods that have ended by themselves because nobody used them: their workers may never come back. */
const removeUnused = (pod: Pod): Promise<ScriptOutput> =>
  kubectl(pod, ['delete', 'pods', '-l', OURS, '--field-selector', 'status.phase=Succeeded', '--wait=false']);

/** Forbids a pod all traffic from now on. What enforces that may need a moment. */
export async function shutOff(pod: Pod, uid: string): Promise<void> {
  await apply(pod, policyManifest(pod, uid));
  assertAnswered(`kubectl label pod ${pod.name}`, await kubectl(pod, ['label', 'pod', pod.name, shutLabel(pod)]));
}

/** Removes the pod of a run. Does nothing if it does not exist. */
export async function removePod(pod: Pod): Promise<void> {
  const remove = (...more: string[]): Promise<ScriptOutput> =>
    kubectl(pod, ['delete', 'pod', pod.name, '--ignore-not-found', ...more]);
  const answer = await remove('--grace-period=1', `--timeout=${END_SECS}s`);
  // A node that is lost cannot confirm the end.
  if (answer.exitCode !== 0 && /timed out|context deadline/.test(answer.stderr))
    assertAnswered(`kubectl delete pod ${pod.name}`, await remove('--grace-period=0', '--force'));
  else assertAnswered(`kubectl delete pod ${pod.name}`, answer);
}
