import { lstatSync, readFileSync } from 'node:fs';
import { isUtf8 } from 'node:buffer';
import { dirname, join } from 'node:path';
import type { VerifierFiles } from '#gates';
import { markOf, RUN_MARK, supervisorScript } from '#host';
import { omit } from '#lib';
import type { EnvironmentHandle } from '../environment.js';
import type { Container, ContainerLimits } from '../machine/settings.js';
import type { VerifyRequest } from '../placed-work.js';
import {
  assertAnswered,
  exports,
  type Machine,
  MachineGone,
  mustRun,
  quoted,
  reasonIn,
  withScratch,
} from '../machine/machine.js';
import { perlFolder, startOfPerl } from '../machine/own-perl.js';
import { logFoldersScript } from '../machine/scripts.js';
import { runCli, runScript } from './container-cli.js';
import { mountOf } from './pack-agent.js';

/** Where a container beside that of the agent has perl of this machine, and the scripts of the supervisor. */
const PERL = '/opt/llm-tool-test/perl';
const SUPERVISOR = '/opt/llm-tool-test/supervisor';
const TESTS = '/tests';
const LOGS = '/logs/verifier';
const STDOUT = 'test-stdout.txt';
const MAX_FILE = 1024 * 1024;
const MAX_LOGS_KIB = 64 * 1024;

/** The user or the WORKDIR that the image of a container names; root or / if it names none. */
const configOf = async ({ command, image }: Container, field: 'User' | 'WorkingDir'): Promise<string> => {
  const { stdout } = await runCli(command, ['image', 'inspect', '--format', `{{.Config.${field}}}`, image]);
  return stdout.toString().trim() || (field === 'User' ? '0' : '/');
};

/** Number of processes that the agent has left. Runs as the agent's user, which alone may read their environment. */
const countScript = (mark: string): string =>
  `grep -lszxF ${quoted(`${RUN_MARK}=${markOf(mark, 'agent')}`)} /proc/[0-9]*/environ | wc -l`;

/** Looks at a file that tests have left. It may be anything. */
function leftFile(path: string): VerifierFiles['json'] {
  const info = lstatSync(path, { throwIfNoEntry: false });
  if (info === undefined) return null;
  if (!info.isFile() || info.size > MAX_FILE) return 'unreadable';
  const bytes = readFileSync(path);
  return isUtf8(bytes) ? { text: bytes.toString() } : 'unreadable';
}

/** The arguments of `docker run` for a container from which a verifier works in that of the agent. */
export const besideArgs = ({ container, perl }: NonNullable<Container['beside']>): string[] => [
  ...['--pid', `container:${container}`, '--user', '0'],
  ...['SYS_ADMIN', 'SYS_PTRACE', 'BLOCK_SUSPEND'].flatMap((capability) => ['--cap-add', capability]),
  ...['apparmor=unconfined', 'label=disable'].flatMap((option) => ['--security-opt', option]),
  ...mountOf(dirname(supervisorScript('verify.pl')), SUPERVISOR),
  ...(perl === undefined ? [] : mountOf(perl, PERL)),
];

/** The limits of a verifier's own container. `network`: if it is not that of the agent's container. */
const limitsOf = ({ limits = {} }: Container, network?: 'none' | 'public'): ContainerLimits =>
  network === undefined
    ? limits
    : { ...omit(limits, 'network'), ...(network === 'none' ? { network: 'none' as const } : {}) };

/** The name of the container of a verifier. */
export const nameOfVerifier = ({ name }: Container): string => `${name}-verifier`;

/** The ways to reach, make and remove containers. */
interface Containers {
  containerOf: (handle: EnvironmentHandle) => Machine;
  makeContainer: (container: Container, mark: string, env: Record<string, string>) => Promise<void>;
  removeContainer: (container: Container) => Promise<void>;
}

/** The container in which tests run, and the command line that starts them, as root or as a user. */
interface TestPlace {
  machine: Machine;
  handle: EnvironmentHandle;
  start: (program: string) => string;
  user: string;
}

/**
 * Runs a verifier after the agent, and returns what it left in /logs/verifier, or why it cannot be run. Its container
 * is another one, which ends with it: it gets the artifacts of the agent's container, or it works in that, with tests
 * and rewards out of reach of what the agent has left running.
 */
export async function verify(
  handle: EnvironmentHandle,
  request: VerifyRequest,
  containers: Containers,
): Promise<VerifierFiles | { lacking: string }> {
  const { container, mark } = handle;
  const { apart, part, containerEnv } = request;
  if (container === undefined) throw new MachineGone('the run has no container');
  const { containerOf, makeContainer, removeContainer } = containers;
  const machine = containerOf(handle);
  const counted = await machine.run(countScript(mark));
  if (counted === null) throw new MachineGone(`${machine.title} is gone`);
  const processes = Number(counted.stdout.toString().trim());
  const perl = apart === undefined ? await perlFolder() : null;
  const without = omit(container, 'user', 'layer', 'relay');
  const name = nameOfVerifier(container);
  const own: Container =
    apart === undefined
      ? { ...omit(without, 'whole'), name, beside: { container: container.name, ...(perl === null ? {} : { perl }) } }
      : { ...without, name, image: apart.image, limits: limitsOf(container, apart.network) };
  if (apart !== undefined) await machine.run(machine.killAllScript, 'root');
  await removeContainer(own);
  await makeContainer(own, markOf(mark, part), apart?.env ?? containerEnv);
  try {
    const inOwn = { ...handle, container: own };
    const place =
      apart === undefined
        ? await placeBeside(inOwn, containerOf(inOwn), request, perl !== null)
        : await placeApart(inOwn, machine, containerOf, apart, request);
    const left = await runTests(place, request);
    return 'lacking' in left ? left : { ...left, processes: apart === undefined ? processes : 0 };
  } finally {
    await removeContainer(own);
  }
}

/** The container of a verifier that has nothing of the agent but artifacts. */
async function placeApart(
  handle: EnvironmentHandle & { container: Container },
  agents: Machine,
  containerOf: Containers['containerOf'],
  { workdir, artifacts }: NonNullable<VerifyRequest['apart']>,
  { env, part, user }: VerifyRequest,
): Promise<TestPlace> {
  const workspace = workdir ?? (await configOf(handle.container, 'WorkingDir'));
  const machine = containerOf({ ...handle, workspace });
  for (const path of artifacts)
    await withScratch(handle, async (scratch) => {
      if ((await agents.copyOut(path, scratch)) === null) return;
      await mustRun(machine, `creating ${dirname(path)}`, `mkdir -p ${quoted(dirname(path))}`, 'root');
      await machine.copyIn(scratch, dirname(path), 'root');
    });
  return {
    machine,
    handle,
    user: user ?? (await configOf(handle.container, 'User')),
    start: (program) => `${exports({ ...env, [RUN_MARK]: markOf(handle.mark, part) })}
(cd ${quoted(workspace)} || exit 126; unset OLDPWD; ${program}) </dev/null >${LOGS}/${STDOUT} 2>&1`,
  };
}

/** Prints the ids of the user, and its HOME. */
const WHO = 'printf "%s:%s %s\n%s" "$(id -u)" "$(id -g)" "$(id -G | tr " " ,)" "$HOME"';

/** The container of a verifier that works in that of the agent (verify.pl). */
async function placeBeside(
  handle: EnvironmentHandle & { container: Container },
  machine: Machine,
  { env, part, user }: VerifyRequest,
  hasPerl: boolean,
): Promise<TestPlace> {
  const as = user ?? (await configOf(handle.container, 'User'));
  const who = await runScript(handle.container, WHO, { user: as });
  if (who === null) throw new MachineGone(`${machine.title} is gone`);
  assertAnswered(`looking for the user ${as} in the image`, who);
  const [ids = '', home = '/'] = who.stdout.toString().split('\n');
  const perl = hasPerl ? startOfPerl(PERL) : ['perl'];
  const script = [...perl, `${SUPERVISOR}/verify.pl`, ...ids.split(' '), handle.workspace].map(quoted).join(' ');
  return {
    machine,
    handle,
    user: '0',
    start: (program) => `${exports({ HOME: home, ...env, [RUN_MARK]: markOf(handle.mark, part) })}
unset OLDPWD
PERL_BADLANG=0 exec ${script} ${program}`,
  };
}

/** Runs the tests in their container. */
async function runTests(
  { machine, handle, start, user }: TestPlace,
  { tests, script, timeoutSecs, signal }: VerifyRequest,
): Promise<Omit<VerifierFiles, 'processes'> | { lacking: string }> {
  const prepare = `rm -rf ${LOGS} && mkdir -p ${TESTS} && ${logFoldersScript}`;
  await mustRun(machine, 'preparing the verifier', prepare, 'root');
  for (const folder of tests) await machine.copyIn(folder, TESTS, 'root');
  const program = quoted(`${TESTS}/${script}`);
  await mustRun(machine, 'preparing the tests', `chmod -R a+rX ${TESTS} && chmod a+x ${program}`, 'root');
  const limits = { timeoutMs: timeoutSecs * 1000, endScript: ':', signal, user };
  const { exitCode, timedOut, stderr } = await machine.command(start(program), limits);
  const [, why] = /^verifier: (.*)/m.exec(stderr) ?? [];
  if (why !== undefined) return { lacking: `the verifier cannot work beside the agent's processes: ${why}` };
  return withScratch(handle, async (scratch) => {
    const size = await mustRun(machine, 'reading the rewards', `du -sk ${LOGS} | cut -f 1`, 'root');
    const isSmall = Number(size.toString().trim()) <= MAX_LOGS_KIB;
    const copy = isSmall ? await machine.copyOut(LOGS, scratch) : null;
    const left = (name: string): VerifierFiles['json'] =>
      isSmall ? (copy === null ? null : leftFile(join(copy, name))) : 'unreadable';
    const printed = left(STDOUT);
    const output = printed === null || printed === 'unreadable' ? '' : printed.text.trim();
    const rewards = { json: left('reward.json'), text: left('reward.txt') };
    // The file of their output is there before they start. Another attempt may start them.
    if (printed === null && rewards.json === null && rewards.text === null && exitCode !== 0 && !timedOut)
      throw new Error(`the tests were not started in ${machine.title}: exit code ${exitCode}: ${reasonIn(stderr)}`);
    return { ...rewards, exitCode, timedOut, output };
  });
}
