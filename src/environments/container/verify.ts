import { lstatSync, readFileSync } from 'node:fs';
import { isUtf8 } from 'node:buffer';
import { join } from 'node:path';
import type { VerifierFiles } from '#gates';
import { markOf, RUN_MARK } from '#host';
import { endOf } from '#lib';
import type { Container, EnvironmentHandle, VerifyRequest } from '../environment.js';
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

/** The user that the image names; root if it names none. */
async function userOfImage({ command, name }: Container): Promise<string> {
  const { stdout } = await runCli(command, ['container', 'inspect', '--format', '{{.Config.User}}', name]);
  return stdout.toString().trim() || '0';
}

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

/** Runs a verifier in the run's container, after the agent, and returns what it left in /logs/verifier. */
export async function verify(
  container: Container,
  machine: Machine,
  handle: EnvironmentHandle,
  request: VerifyRequest,
): Promise<VerifierFiles> {
  const { tests, script, env, user, timeoutSecs, part, empties, signal } = request;
  const as = { user: user ?? (await userOfImage(container)) };
  // An earlier attempt may have left processes.
  await runScript(container, killPartScript(handle, part), as);
  const counted = await machine.run(countScript(handle.mark));
  if (counted === null) throw new MachineGone(`${machine.title} is gone`);
  await removeStrangers(container, machine);
  await mustRun(
    machine,
    'preparing the verifier',
    `rm -rf ${LOGS} && mkdir -p ${TESTS} && ${logFoldersScript}`,
    'root',
  );
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
    return {
      ...files,
      exitCode,
      timedOut,
      output: printed === null || printed === 'unreadable' ? '' : endOf(printed.text.trim(), OUTPUT),
      processes: Number(counted.stdout.toString().trim()),
    };
  });
}
