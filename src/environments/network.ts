import { existsSync } from 'node:fs';
import { readFile, realpath } from 'node:fs/promises';
import { findExecutable, remembered } from '#host';
import { isLoopback, nameServers } from '#lib';
import { trialError } from './trial.js';

const RESOLVER = '/etc/resolv.conf';
/** File in which systemd-resolved lists the name servers behind its own one, which is on loopback. */
const BEHIND_RESOLVED = '/run/systemd/resolve/resolv.conf';

/**
 * Command line that gives a program its own network: it reaches the outside through pasta, and of this machine's
 * loopback only these TCP ports. Incoming connections are not possible, and the gateway's address does not lead to this
 * machine.
 * @throws Error if pasta is not on PATH
 */
function pastaArgs(ports: readonly number[]): [pasta: string, ...string[]] {
  const pasta = findExecutable('pasta');
  if (pasta === null) throw new Error('pasta was not found on PATH');
  return [
    pasta,
    ...['--quiet', '--foreground', '--config-net', '--no-map-gw'],
    ...['-t', 'none', '-u', 'none', '-U', 'none'],
    ...['-T', ports.length === 0 ? 'none' : [...new Set(ports)].join(',')],
    // As root, pasta would become the user nobody, who may not enter what root has created.
    ...(isRoot() ? ['--netns-only', '--runas', '0'] : []),
  ];
}

const isRoot = (): boolean => process.getuid?.() === 0;

/**
 * Returns the command line that starts a program in its own network, with a /proc of the PID namespace that pasta
 * creates: bwrap looks itself up there. Messages of pasta are kept out of the program's output.
 */
export async function inOwnNetwork(ports: readonly number[], argv: readonly string[]): Promise<string[]> {
  const [unshare, sh] = [findExecutable('unshare'), findExecutable('sh')];
  const pasta = pastaArgs(ports);
  if (unshare === null || sh === null) throw new Error('unshare or sh was not found on PATH');
  const inner = [unshare, '--mount-proc', ...argv];
  const started = (program: readonly string[]): string[] => [...pasta, '--log-file', '/dev/null', '--', ...program];
  // As root, pasta complains about the missing user namespace before it opens the log file.
  if (!isRoot() || !(await passesFiles())) return started(inner);
  return [
    ...[sh, '-c', 'exec 3>&2 2>/dev/null; exec "$@"', 'sh'],
    ...started([sh, '-c', 'exec 2>&3 3>&-; exec "$@"', 'sh', ...inner]),
  ];
}

/** True if the program that pasta starts inherits open files; later versions of pasta close them. */
const passesFiles = remembered(() => findOutWhatPasses());

async function findOutWhatPasses(): Promise<boolean> {
  const program = [...pastaArgs([]), '--', 'sh', '-c', ': >&3'];
  return (await trialError(['sh', '-c', 'exec 3>&2; exec "$@"', 'sh', ...program])) === null;
}

/**
 * Arguments of bwrap inside pasta that restore the user's ids: a user other than root would appear to be root there.
 */
export const restoreIdsArgs = (): string[] =>
  isRoot() ? [] : ['--unshare-user', '--uid', String(process.getuid?.()), '--gid', String(process.getgid?.())];

const ownNetwork = remembered(() => ({ works: false }));

/** Returns why a sandbox cannot have its own network on this machine, with a remedy; null if it can. */
export async function ownNetworkProblem(): Promise<string | null> {
  if (ownNetwork().works) return null;
  if (findExecutable('pasta') === null) return 'pasta is not on PATH; install passt (apt install passt)';
  if ((await resolverInside()) === null)
    return `the name servers of ${RESOLVER} are on this machine's loopback; add one that is not`;
  const reason = await trialError([...pastaArgs([]), '--', 'unshare', '--mount-proc', 'true']);
  ownNetwork().works = reason === null;
  if (reason === null) return null;
  return `pasta cannot create a network here (${reason}); it needs user namespaces, /dev/net/tun and a default route`;
}

/** File that lists name servers that can be reached without loopback; null if there is none. */
async function resolverInside(): Promise<string | null> {
  const serversOf = async (file: string): Promise<string[]> =>
    nameServers(await readFile(file, 'utf8').catch(() => ''));
  const usual = await serversOf(RESOLVER);
  if (usual.length === 0 || usual.some((server) => !isLoopback(server))) return RESOLVER;
  const behind = existsSync(BEHIND_RESOLVED) ? await serversOf(BEHIND_RESOLVED) : [];
  return behind.some((server) => !isLoopback(server)) ? BEHIND_RESOLVED : null;
}

/** Arguments of bwrap that make name resolution work in its own network. */
export async function resolverArgs(): Promise<string[]> {
  const file = await resolverInside();
  return file === null || file === RESOLVER ? [] : ['--ro-bind', file, await realpath(RESOLVER)];
}
