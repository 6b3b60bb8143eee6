import type { Environment, EnvironmentHandle, Place, RequestedEnvironment } from '../environment.js';
import type { Container, ContainerLimits, RequestedContainer } from '../machine/settings.js';
import {
  assertAnswered,
  MachineGone,
  mustRun,
  quoted,
  reasonIn,
  type CommandLimits,
  type Machine,
  NOWHERE,
} from '../machine/machine.js';
import { firstProcess, killAllScript } from '../machine/first-process.js';
import { machineEnvironment } from '../machine/machine-environment.js';
import { wayOfOutput } from '../machine/stream.js';
import { runCli, findImage, runScript, scriptArgs, stateOf, cliProblem, resourcesOf } from './container-cli.js';
import { mountArgs } from './pack-agent.js';
import { RELAY_PLACE } from './relay.js';
import { startRelay } from './start-relay.js';
import { besideArgs, nameOfVerifier, verify } from './verify.js';
import { mkdirSync, readdirSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { removeTree, RUN_MARK, runCommand } from '#host';
import type { CommandResult } from '#lib';

/** Label of all our containers; its value is the run's mark. */
const LABEL = 'llm-tool-test';
const POLL_MS = 250;

async function remove(container: Container): Promise<void> {
  const { command, name } = container;
  const answer = await runCli(command, ['rm', '--force', '--volumes', name]);
  if (answer.exitCode !== 0 && (await stateOf(container)) !== 'missing')
    assertAnswered(`${command} rm ${name}`, answer);
}

const limitArgs = ({ cpus, memory_mb, network }: ContainerLimits): string[] => [
  ...(cpus === undefined ? [] : ['--cpus', String(cpus)]),
  ...(memory_mb === undefined ? [] : ['--memory', `${memory_mb}m`]),
  ...(network === undefined ? [] : ['--network', network]),
];

/** `env`: its variables, whose values nobody can read in the command line. */
async function create(
  { command, name, image, limits = {}, whole, layer, relay, beside }: Container,
  mark: string,
  env: Record<string, string>,
): Promise<void> {
  if (relay !== undefined) mkdirSync(relay, { recursive: true, mode: 0o755 });
  const args = [
    ...['run', '--detach', '--pull', 'never', '--name', name, '--label', `${LABEL}=${mark}`],
    ...limitArgs(limits),
    ...(beside === undefined ? [] : besideArgs(beside)),
    ...(layer === undefined ? [] : mountArgs(layer)),
    ...(relay === undefined ? [] : ['--mount', `type=bind,source=${relay},target=${RELAY_PLACE}`]),
    // Everything that is started in it carries the mark of the run.
    ...['--env', `${RUN_MARK}=${mark}`],
    ...Object.keys(env).flatMap((variable) => ['--env', variable]),
    // As command, it is given to the ENTRYPOINT.
    ...(whole === true ? [image, 'sh'] : ['--workdir', '/', '--entrypoint', 'sh', image]),
    ...['-c', firstProcess()],
  ];
  const made = await runCli(command, args, { env });
  assertAnswered(`${command} run`, made);
}

async function command(
  container: Container,
  script: string,
  { timeoutMs, signal, endScript, user }: CommandLimits,
): Promise<CommandResult> {
  const end = user === undefined ? {} : { user: '0' };
  const state = { ended: false };
  try {
    const result = await runCommand({
      command: [container.command, ...scriptArgs(container, user)],
      input: script,
      cwd: '/',
      env: process.env as Record<string, string>,
      timeoutMs,
      ...(signal === undefined ? {} : { signal }),
    });
    state.ended = !result.timedOut;
    // A failure of the container says nothing about the command. Checked only now, because most commands succeed.
    if (result.exitCode === 0 || result.timedOut || (await stateOf(container)) === 'running') return result;
    // Starts the container for the next attempt.
    if ((await runScript(container, ':')) === null) throw new MachineGone(`the container ${container.name} is gone`);
    throw new Error(`the container ${container.name} was stopped: ${reasonIn(result.stderr)}`);
  } finally {
    // When the `docker` process ends, what it started in the container continues.
    if (!state.ended) await runScript(container, endScript, end);
  }
}

function containerOf({ container, mark }: EnvironmentHandle): Machine {
  if (container === undefined) return NOWHERE;
  return {
    title: `the container ${container.name}`,
    name: container.name,
    madeFrom: 'image',
    pollMs: POLL_MS,
    supervisorMode: 'container',
    killAllScript,
    run: (script, user) => runScript(container, script, user === undefined ? {} : { user: '0' }),
    command: (script, limits) => command(container, script, limits),
    attached: (argv, mark) => [
      ...[container.command, 'exec', '-i', '-u', '0', '--env', `${RUN_MARK}=${mark}`, container.name],
      ...argv,
    ],
    // Another attempt's container has the same name, so that only one of them can be created.
    create: (_confirm, env) => create(container, mark, env),
    remove: () => remove(container),
    copyIn: (from, to, user) => copyIn(container, from, to, user === undefined ? undefined : '0'),
    copyOut: (from, to) => copyOut(container, from, to),
  };
}

const work = machineEnvironment(containerOf);

/** A separate container for each run, with Docker or Podman. */
export const docker: Environment = {
  ...work,
  async place(handle, { from, to, replaces }) {
    const { container } = handle;
    if (container === undefined) throw new Error('the environment has no container');
    const machine = containerOf(handle);
    const folder = quoted(to);
    const remove = replaces === true ? `rm -rf ${folder} && ` : '';
    await mustRun(machine, `creating ${to}`, `${remove}mkdir -p ${folder}`, 'root');
    await machine.copyIn(from, to, 'root');
    const names = readdirSync(from).map((name) => quoted(`${to}/${name}`));
    if (names.length > 0) await mustRun(machine, `opening ${to}`, `chmod -R a+rx ${names.join(' ')}`, 'root');
  },

  verify: (handle, request) => verify(handle, request, { containerOf, makeContainer: create, removeContainer: remove }),

  async start(handle, request) {
    if (request.relay !== undefined) await startRelay(handle, request.start, request.relay);
    await work.start(handle, request);
  },

  async dispose(handle) {
    // The relay of the agent ends when its socket is gone.
    if (handle.container?.relay !== undefined) await removeTree(handle.container.relay);
    // A worker may have died while a verifier worked in its container.
    if (handle.container !== undefined) await remove({ ...handle.container, name: nameOfVerifier(handle.container) });
    await work.dispose(handle);
  },

  async choose(wanted: RequestedEnvironment & RequestedContainer) {
    const place: Place = { type: 'docker', lacking: null, network: 'isolated', lacksNetwork: null };
    const { command, image: name, cpus, memory_mb, network, whole } = wanted;
    if (name === undefined) return { ...place, lacking: 'its image was not built' };
    const image = await findImage({ command, image: name });
    if (image.found === null) return { ...place, lacking: image.why };
    const limits: ContainerLimits = {
      ...(cpus === undefined ? {} : { cpus }),
      ...(memory_mb === undefined ? {} : { memory_mb }),
      ...(network === undefined ? {} : { network }),
    };
    const some = Object.keys(limits).length === 0 ? {} : { limits };
    const container = { command, ...image.found, name, ...some };
    if (whole === undefined) return { ...place, container };
    const { workdir = image.found.workdir, user } = whole;
    return { ...place, container: { ...container, workdir, whole: true, ...(user === undefined ? {} : { user }) } };
  },

  async environmentProblem(wanted: RequestedEnvironment & RequestedContainer, folders) {
    const { command, image } = wanted;
    // An image that is to be built need not be there.
    const lacking = image === undefined ? await cliProblem(command) : (await docker.choose(wanted, folders)).lacking;
    if (lacking !== null) return { why: lacking, isFinal: false };
    const [more] = await moreThanMachine(wanted);
    if (more === undefined) return null;
    const { field, asked, most } = more;
    return {
      why: `${field}: ${asked} is more than the ${most} that this machine has; use --clamp to run with ${most}`,
      isFinal: true,
      field,
    };
  },

  forgeryRisk: (handle) => Promise.resolve(FORGEABLE[wayOfOutput(handle)]),

  doctor: {
    async containers() {
      const found = await Promise.all(
        (['docker', 'podman'] as const).map(async (command) => [command, await cliProblem(command)] as const),
      );
      const usable = found.flatMap(([command, why]) => (why === null ? [command] : []));
      return usable.length > 0
        ? {
            usable,
            message: `containers are available with ${usable.join(' and ')} (environment.type: docker)`,
          }
        : {
            usable,
            message: `no containers: ${found.map(([command, why]) => `${command}: ${why ?? ''}`.replace(`${command}: ${command} `, `${command} `)).join('; ')}`,
          };
    },
  },
};

/** The resources that a container asks for and that its machine does not have. */
export async function moreThanMachine({
  command,
  ...wanted
}: Pick<RequestedContainer, 'command' | 'cpus' | 'memory_mb'>): Promise<
  { field: 'cpus' | 'memory_mb'; asked: number; most: number }[]
> {
  if (wanted.cpus === undefined && wanted.memory_mb === undefined) return [];
  const machine = await resourcesOf(command);
  if (machine === null) return [];
  return (['cpus', 'memory_mb'] as const).flatMap((field) => {
    const asked = wanted[field];
    return asked === undefined || asked <= machine[field] ? [] : [{ field, asked, most: machine[field] }];
  });
}

const FORGEABLE: Record<ReturnType<typeof wayOfOutput>, string | null> = {
  streamed: null,
  copied:
    'what passes on the output was killed, and the rest was copied from the container: the agent could have changed it there',
  'after root':
    'the agent is root in its container, and could have replaced programs that its later turns use; use an image with another user',
  'never streamed':
    'without perl in the image, what the agent prints is kept in its own container for a moment: it could change it there',
};

/** Copies the contents of a folder on the host into a folder in a container, owned by the container's user. */
async function copyIn({ command, name, user: own }: Container, from: string, to: string, user = own): Promise<void> {
  const packed = execa('tar', ['-C', from, '-cf', '-', '.'], { encoding: 'buffer', stdin: 'ignore' });
  // Through the shell, which may be a busybox that has `tar` in it and not on PATH.
  const unpack = [
    'exec',
    '-i',
    ...(user === undefined ? [] : ['-u', user]),
    name,
    'sh',
    '-c',
    'exec tar -C "$0" -xof -',
    to,
  ];
  const { failed, stderr } = await packed.pipe(command, unpack, { reject: false });
  if (failed) throw new Error(`${command} exec ${name} tar failed: ${reasonIn(stderr)}`);
}

/**
 * Copies a folder in a container into a folder on the host. Returns its path there; null if the folder does not exist.
 */
async function copyOut({ command, name }: Container, from: string, to: string): Promise<string | null> {
  await mkdir(to, { recursive: true, mode: 0o700 });
  const packed = execa(command, ['cp', `${name}:${from}`, '-'], {
    encoding: 'buffer',
    stdin: 'ignore',
    buffer: false,
    reject: false,
  });
  const problem: Buffer[] = [];
  packed.stderr.on('data', (chunk: Buffer) => problem.push(chunk));
  const unpacked = await packed.pipe('tar', ['-C', to, '-xof', '-'], { reject: false });
  // Nothing at all is a valid archive.
  if (!unpacked.failed && !(await packed).failed) return join(to, from.slice(from.lastIndexOf('/') + 1));
  const reason = Buffer.concat(problem).toString() || unpacked.stderr;
  if (/could not find the file|no such file|no such container|no container with name/i.test(reason)) return null;
  throw new Error(`${command} cp ${name}:${from} failed: ${reasonIn(reason)}`);
}
