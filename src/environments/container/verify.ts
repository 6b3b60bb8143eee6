import { lstatSync, readFileSync } from 'node:fs';
import { isUtf8 } from 'node:buffer';
import { dirname, join } from 'node:path';
import type { VerifierFiles } from '#gates';
import { markOf, RUN_MARK } from '#host';
import { endOf, omit } from '#lib';
import type { Container, EnvironmentHandle } from '../environment.js';
import type { VerifyRequest } from '../placed-work.js';
import { exports, type Machine, MachineGone, mustRun, quoted, withScratch } from '../machine/machine.js';
import { killPartScript, logFoldersScript } from '../machine/scripts.js';
import { runCli, runScript } from './container-cli.js';

const TESTS = '/tests';
const LOGS = '/logs/verifier';
const STDOUT = 'test-stdout.txt';
const MAX_FILE = 1024 * 1024;
const MAX_LOGS_KIB = 64 * 1024;
const OUTPUT = 4000;

/** Removes what the agent has put beside the tests: it could change what they do. */
async function removeStrangers({ command, name }: Container, machine: Machine): Promise<void> {
  const { stdout } = await runCli(command, ['diff', name]);
  const added = stdout
    .toString()
    .split('\n')
    .filter((line) => line.startsWith(`A ${TESTS}/`));
  if (added.length === 0) return;
  const paths = added.map((line) => quoted(line.slice(2)));
  await mustRun(machine, `cleaning ${TESTS}`, `rm -rf ${paths.join(' ')}`, 'root');
}

/** The user or the WORKDIR that the image of a container names; empty if it names none. */
const configOf = async ({ command, name }: Container, field: 'User' | 'WorkingDir'): Promise<string> => {
  const { stdout } = await runCli(command, ['container', 'inspect', '--format', `{{.Config.${field}}}`, name]);
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

/** The name of the container of a verifier that has one of its own. */
export const nameOfVerifier = ({ name }: Container): string => `${name}-verifier`;

/**
 * Runs a verifier after the agent, and returns what it left in /logs/verifier: in the run's container, or in another
 * one that gets the artifacts of the first.
 */
export async function verify(
  handle: EnvironmentHandle,
  request: VerifyRequest,
  { containerOf, makeContainer, removeContainer }: Containers,
): Promise<VerifierFiles> {
  const { container, mark } = handle;
  const { apart, part } = request;
  if (container === undefined) throw new MachineGone('the run has no container');
  const machine = containerOf(handle);
  const counted = await machine.run(countScript(mark));
  if (counted === null) throw new MachineGone(`${machine.title} is gone`);
  const processes = Number(counted.stdout.toString().trim());
  if (apart === undefined) {
    await removeStrangers(container, machine);
    return { ...(await runTests(container, handle, machine, request)), processes };
  }
  await machine.run(machine.killAllScript, 'root');
  const own: Container = {
    ...omit(container, 'user', 'layer', 'relay'),
    image: apart.image,
    name: nameOfVerifier(container),
  };
  await removeContainer(own);
  await makeContainer(own, markOf(mark, part), apart.env);
  try {
    const workspace = apart.workdir ?? (await configOf(own, 'WorkingDir'));
    const inOwn = { ...handle, container: own, workspace };
    const other = containerOf(inOwn);
    for (const path of apart.artifacts)
      await withScratch(handle, async (scratch) => {
        if ((await machine.copyOut(path, scratch)) === null) return;
        await mustRun(other, `creating ${dirname(path)}`, `mkdir -p ${quoted(dirname(path))}`, 'root');
        await other.copyIn(scratch, dirname(path), 'root');
      });
    return { ...(await runTests(own, inOwn, other, request)), processes: 0 };
  } finally {
    await removeContainer(own);
  }
}

/** The ways to reach, make and remove containers. */
interface Containers {
  containerOf: (handle: EnvironmentHandle) => Machine;
  makeContainer: (container: Container, mark: string, env: Record<string, string>) => Promise<void>;
  removeContainer: (container: Container) => Promise<void>;
}

/** Runs the tests in a container. */
async function runTests(
  container: Container,
  handle: EnvironmentHandle,
  machine: Machine,
  { tests, script, env, user, timeoutSecs, part, empties, signal }: VerifyRequest,
): Promise<Omit<VerifierFiles, 'processes'>> {
  const as = { user: user ?? (await configOf(container, 'User')) };
  // An earlier attempt may have left processes.
  await runScript(container, killPartScript(handle, part), as);
  const prepare = `rm -rf ${LOGS} && mkdir -p ${TESTS} && ${logFoldersScript}`;
  await mustRun(machine, 'preparing the verifier', prepare, 'root');
  for (const folder of tests) await machine.copyIn(folder, TESTS, 'root');
  const program = quoted(`${TESTS}/${script}`);
  await mustRun(machine, 'preparing the tests', `chmod -R a+rX ${TESTS} && chmod a+x ${program}`, 'root');
  const { exitCode, timedOut } = await machine.command(
    `cd ${quoted(handle.workspace)} || exit 126
${exports({ ...env, [RUN_MARK]: markOf(handle.mark, part) })}
unset OLDPWD
(${program}) </dev/null >${LOGS}/${STDOUT} 2>&1`,
    { timeoutMs: timeoutSecs * 1000, endScript: machine.killAllScript, signal, ...as },
  );
  return withScratch(handle, async (scratch) => {
    const size = await mustRun(machine, 'reading the rewards', `du -sk ${LOGS} | cut -f 1`, 'root');
    const isSmall = Number(size.toString().trim()) <= MAX_LOGS_KIB;
    const copy = isSmall ? await machine.copyOut(LOGS, scratch) : null;
    const left = (name: string): VerifierFiles['json'] =>
      isSmall ? (copy === null ? null : leftFile(join(copy, name))) : 'unreadable';
    const printed = left(STDOUT);
    const files = { json: left('reward.json'), text: left('reward.txt') };
    if (empties === true) {
      const empty = `rm -rf ${TESTS} ${LOGS} && mkdir ${TESTS} && ${logFoldersScript}`;
      await mustRun(machine, 'removing the tests', empty, 'root');
    }
    const output = printed === null || printed === 'unreadable' ? '' : endOf(printed.text.trim(), OUTPUT);
    return { ...files, exitCode, timedOut, output };
  });
}
