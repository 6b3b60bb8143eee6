import { randomBytes } from 'node:crypto';
import { mkdir, open, stat, truncate } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { OUTPUT_CAP } from '#host';
import { type CommandResult, defined } from '#lib';
import { outputOf } from '../e2b/capture.js';
import type { Environment, EnvironmentHandle, Place, RequestedEnvironment } from '../environment.js';
import type { Cluster, RequestedPod } from '../machine/settings.js';
import { killAllScript } from '../machine/first-process.js';
import { machineEnvironment } from '../machine/machine-environment.js';
import { MachineRefused } from '../machine/machine-refused.js';
import { readRecord, removeRecord, writeRecord } from '../machine/machine-record.js';
import {
  assertAnswered,
  type CommandLimits,
  goneError,
  type Machine,
  MachineGone,
  mustRun,
  NOWHERE,
  quoted,
  reasonIn,
  withScratch,
} from '../machine/machine.js';
import { perlInside } from '../machine/own-perl.js';
import { findCluster, rightsProblem } from './kubectl.js';
import { createPod, podOf, refusal, removePod, runInPod, shutOff, whyOver } from './pods.js';
import {
  awaitCommandScript,
  CONNECT,
  forgetCommandScript,
  packScript,
  readCommand,
  startCommandScript,
} from './pod-scripts.js';

const POLL_MS = 1000;
/** Transfers of files. */
const COPY_MS = 600_000;
/** A script that waits in the pod takes at most this long, so that a connection is never idle for longer. */
const WAIT_SECS = 10;
/** A command that was killed is given up after this time. */
const END_MS = 20_000;
/** As the exit status of a command whose supervisor was killed with it. */
const KILLED = 137;
const MAX_TRIES = 5;

/**
 * Runs a command under a supervisor in the pod, which keeps its output and its exit status in files: nothing of the
 * connection says that it has ended, and it never runs twice.
 */
async function command(
  machine: Machine,
  script: string,
  { timeoutMs, signal, endScript }: CommandLimits,
): Promise<CommandResult> {
  signal?.throwIfAborted();
  const startedAt = performance.now();
  const id = randomBytes(8).toString('hex');
  const start = startCommandScript(id, script, OUTPUT_CAP);
  const passed = (): number => performance.now() - startedAt;
  const ask = async (secs: number, before = '') => {
    for (let tries = 1; ; tries += 1) {
      const answer = await machine.run(`${before}\n${awaitCommandScript(id, secs)}`);
      if (answer === null) throw await goneError(machine);
      // If the whole pod was killed, the API server knows it a moment later.
      if (answer.exitCode !== KILLED || tries === MAX_TRIES) {
        assertAnswered(`a command in ${machine.title}`, answer);
        return readCommand(answer.stdout);
      }
      await sleep(POLL_MS);
    }
  };
  let now = await ask(secsUntil(timeoutMs), start);
  const isAborted = (): boolean => signal?.aborted === true;
  while (now.state === 'running' && passed() < timeoutMs && !isAborted())
    now = await ask(secsUntil(timeoutMs - passed()));
  const timedOut = now.state === 'running' && !isAborted();
  // It may not have begun when it is killed.
  for (const until = passed() + END_MS; now.state === 'running' && passed() < until;) {
    await machine.run(endScript);
    now = await ask(1);
  }
  await machine.run(forgetCommandScript(id));
  signal?.throwIfAborted();
  return {
    exitCode: timedOut ? null : now.state === 'ended' ? now.exitCode : KILLED,
    timedOut,
    ...outputOf(
      { kept: now.out, bytes: now.out.length + now.outMore },
      { kept: now.err, bytes: now.err.length + now.errMore },
    ),
    durationMs: Math.round(passed()),
  };
}

const secsUntil = (ms: number): number => Math.max(0.05, Math.min(WAIT_SECS, ms / 1000));

/** Copies the contents of a folder on the host into a folder in the pod. */
const copyIn = (handle: EnvironmentHandle, from: string, to: string): Promise<void> =>
  withScratch(handle, async (scratch) => {
    const archive = join(scratch, 'in.tar');
    await execa('tar', ['-C', from, '-cf', archive, '.'], { stdin: 'ignore' });
    const { size } = await stat(archive);
    const inside = `${podPlace(handle)}/in-${randomBytes(8).toString('hex')}.tar`;
    const script = `
cat >${quoted(inside)} && [ "$(wc -c <${quoted(inside)})" -eq ${size} ] || { echo 'only a part has come' >&2; exit 76; }
mkdir -p ${quoted(to)} && tar -C ${quoted(to)} -xof ${quoted(inside)} && rm -f ${quoted(inside)}`;
    const answer = await runInPod(podOf(handle), script, { inputFile: archive, timeoutMs: COPY_MS });
    if (answer === null) throw new MachineGone(`${titleOf(handle)} is gone`);
    assertAnswered(`copying files into ${titleOf(handle)}`, answer);
  });

const podPlace = ({ root }: EnvironmentHandle): string => dirname(root);

/** More than the proof of an end. */
const TAIL_BYTES = 64;

/** Copies a folder in the pod into a folder on the host. Returns its path there; null if it does not exist. */
const copyOut = (handle: EnvironmentHandle, from: string, to: string): Promise<string | null> =>
  withScratch(handle, async (scratch) => {
    const archive = join(scratch, 'out.tar');
    const streams = { outputTo: archive, tail: () => endOfFile(archive), timeoutMs: COPY_MS };
    const answer = await runInPod(podOf(handle), packScript(dirname(from), basename(from)), streams);
    if (answer === null || answer.exitCode === NOT_THERE) return null;
    assertAnswered(`packing ${from} in ${titleOf(handle)}`, answer);
    // The proof of the end is the last line.
    const end = await endOfFile(archive);
    await truncate(archive, (await stat(archive)).size - (end.length - end.lastIndexOf('llm-tool-test-')));
    await mkdir(to, { recursive: true, mode: 0o700 });
    const unpacked = await execa('tar', ['-C', to, '-xof', archive], { reject: false });
    if (unpacked.failed)
      throw new Error(`unpacking ${from} of ${titleOf(handle)} failed: ${reasonIn(unpacked.stderr)}`);
    return join(to, basename(from));
  });

const NOT_THERE = 44;

async function endOfFile(path: string): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const bytes = Math.min(size, TAIL_BYTES);
    const { buffer } = await file.read(Buffer.alloc(bytes), 0, bytes, size - bytes);
    return buffer;
  } finally {
    await file.close();
  }
}

async function create(handle: EnvironmentHandle, confirm: () => Promise<void>): Promise<void> {
  await createPod(handle, () =>
    confirm().catch(async (error: unknown) => {
      await removePod(podOf(handle));
      throw error;
    }),
  );
  const path = await runInPod(podOf(handle), 'printf %s "$PATH"');
  const record = await readRecord(handle);
  if (record !== null && path?.exitCode === 0) await writeRecord(handle, { ...record, path: path.stdout.toString() });
}

const titleOf = (handle: EnvironmentHandle): string => `the pod ${podOf(handle).name}`;

function machineOf(handle: EnvironmentHandle): Machine {
  const { pod } = handle;
  if (pod === undefined) return NOWHERE;
  const machine: Machine = {
    title: titleOf(handle),
    name: pod.name,
    madeFrom: 'image',
    pollMs: POLL_MS,
    waitSecs: WAIT_SECS,
    supervisorMode: 'container',
    killAllScript,
    hasRoot: false,
    run: (script, _user, signal) => runInPod(pod, script, defined({ signal })),
    lost: () => whyOver(pod),
    command: (script, limits) => command(machine, script, limits),
    create: (confirm) => create(handle, confirm),
    remove: async () => {
      await removePod(pod);
      await removeRecord(handle);
    },
    copyIn: (from, to) => copyIn(handle, from, to),
    copyOut: (from, to) => copyOut(handle, from, to),
  };
  return machine;
}

const work = machineEnvironment(machineOf);

const SHUT_MS = 30_000;
const OPEN_MS = 10_000;

/**
 * Takes the network from a pod, and returns when a probe in it has seen both that it had one and that it has none any
 * more: in many clusters nothing enforces policies, and in others a new pod can connect for a moment.
 *
 * @throws MachineRefused if that is not seen
 */
async function shut(handle: EnvironmentHandle): Promise<void> {
  const machine = machineOf(handle);
  const perl = await perlInside(handle, machine);
  if (perl === null)
    throw new MachineRefused(
      'environment.network: none needs perl on this machine or in the image, to see that it holds',
    );
  const probe = [...perl, '-e', CONNECT].map(quoted).join(' ');
  const becomes = async (wanted: string, limitMs: number): Promise<boolean> => {
    const until = performance.now() + limitMs;
    while (performance.now() < until) {
      if ((await mustRun(machine, 'trying the network', probe)).toString().trim() === wanted) return true;
      await sleep(POLL_MS / 4);
    }
    return false;
  };
  const unseen = 'so it cannot be seen whether anything enforces environment.network: none';
  if (!(await becomes('open', OPEN_MS)))
    throw new MachineRefused(
      `${machine.title} cannot reach the API server even without our policy, ${unseen}; is there a policy for the whole namespace? Then leave network out`,
    );
  await shutOff(podOf(handle), (await readRecord(handle))?.id ?? '');
  if (!(await becomes('shut', SHUT_MS)))
    throw new MachineRefused(
      `nothing in the cluster enforces NetworkPolicy: ${machine.title} could still connect ${SHUT_MS / 1000} s after its own; install a network plugin that does, or leave environment.network out`,
    );
}

const placeOf = (
  { image, cpus, memory_mb, network, user, timeout_secs, start_timeout_secs }: RequestedPod,
  cluster: Cluster,
): NonNullable<Place['pod']> => ({
  image,
  ...cluster,
  ...defined({ cpus, memory_mb, network, user }),
  timeoutSecs: timeout_secs,
  startTimeoutSecs: start_timeout_secs,
});

/** A separate pod for each run, with kubectl. */
export const kubernetes: Environment = {
  ...work,
  async prepare(handle, contents, confirm) {
    await work.prepare(handle, contents, confirm);
    if (podOf(handle).network === 'none') await shut(handle);
  },

  async choose(wanted: RequestedEnvironment & RequestedPod) {
    const place: Place = { type: 'kubernetes', lacking: null, network: 'isolated', lacksNetwork: null };
    const cluster = await findCluster(wanted);
    return cluster.found === null
      ? { ...place, lacking: cluster.why }
      : { ...place, pod: placeOf(wanted, cluster.found) };
  },

  async environmentProblem(wanted: RequestedEnvironment & RequestedPod, _folders, env) {
    const cluster = await findCluster({ ...wanted, ...defined({ kubeconfig: env['KUBECONFIG'] }) });
    if (cluster.found === null) return { why: cluster.why, isFinal: true };
    const rights = await rightsProblem(cluster.found, wanted.network === 'none');
    return rights ?? refusal({ ...placeOf(wanted, cluster.found), name: 'llm-tool-test-trial', owner: 'trial' });
  },

  forgeryRisk: () =>
    Promise.resolve('what the agent prints is kept in its own pod for a moment: it could change it there'),

  doctor: {
    async kubernetes(_folders, env) {
      const cluster = await findCluster(defined({ kubeconfig: env['KUBECONFIG'] }));
      const why = cluster.found === null ? cluster.why : ((await rightsProblem(cluster.found, false))?.why ?? null);
      const { context, namespace } = cluster.found ?? {};
      const where = [context, namespace].filter((name) => name !== undefined).join(', namespace ');
      return why === null
        ? { usable: true, message: `pods of Kubernetes are available in ${where} (environment.type: kubernetes)` }
        : { usable: false, message: `no pods of Kubernetes: ${why}` };
    },
  },
};
