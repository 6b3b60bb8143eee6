import { existsSync } from 'node:fs';
import { readFile, realpath } from 'node:fs/promises';
import { execa } from 'execa';
import { findExecutable } from '../platform/process/find-executable.js';
import { nameServers, isLoopback } from '../lib/loopback.js';

const RESOLVER = '/etc/resolv.conf';
/** Where systemd-resolved keeps the name servers that its own, on loopback, asks. */
const BEHIND_RESOLVED = '/run/systemd/resolve/resolv.conf';

/**
 * Arguments that put a program into a network of its own: the outside is reached by way of pasta, and of this machine's
 * loopback these TCP ports only. Nothing is let in, and the gateway's address does not stand for this machine.
 */
async function pastaArgs(ports: readonly number[]): Promise<[pasta: string, ...string[]]> {
  const pasta = await findExecutable('pasta');
  if (pasta === null) throw new Error('pasta was not found on PATH');
  return [
    pasta,
    ...['--quiet', '--foreground', '--config-net', '--no-map-gw'],
    ...['-t', 'none', '-u', 'none', '-U', 'none'],
    ...['-T', ports.length === 0 ? 'none' : [...new Set(ports)].join(',')],
    // It would become nobody, who may not enter what root has made.
    ...(isRoot() ? ['--netns-only', '--runas', '0'] : []),
  ];
}

const isRoot = (): boolean => process.getuid?.() === 0;

/**
 * Starts a program in a network of its own, with a /proc of the PID namespace that pasta makes: bwrap looks itself up there.
 * What pasta has to say is not to be taken for the program's.
 */
export async function inOwnNetwork(ports: readonly number[], argv: readonly string[]): Promise<string[]> {
  const [pasta, unshare, sh] = await Promise.all([
    pastaArgs(ports),
    findExecutable('unshare'),
    findExecutable('sh'),
  ]);
  if (unshare === null || sh === null) throw new Error('unshare or sh was not found on PATH');
  const inner = [unshare, '--mount-proc', ...argv];
  const started = (program: readonly string[]): string[] => [
    ...pasta,
    '--log-file',
    '/dev/null',
    '--',
    ...program,
  ];
  // Of root's missing user namespace it complains before it knows of the log.
  if (!isRoot() || !(await passesFiles())) return started(inner);
  return [
    ...[sh, '-c', 'exec 3>&2 2>/dev/null; exec "$@"', 'sh'],
    ...started([sh, '-c', 'exec 2>&3 3>&-; exec "$@"', 'sh', ...inner]),
  ];
}

/** Whether the program that pasta starts has the open files that pasta was started with; later versions close them. */
const passesFiles = (): Promise<boolean> => (passing ??= findOutWhatPasses());
let passing: Promise<boolean> | undefined;

async function findOutWhatPasses(): Promise<boolean> {
  const program = [...(await pastaArgs([])), '--', 'sh', '-c', ': >&3'];
  const { failed } = await execa('sh', ['-c', 'exec 3>&2; exec "$@"', 'sh', ...program], {
    reject: false,
    stdin: 'ignore',
  });
  return !failed;
}

/** Arguments of bwrap inside pasta, where a user other than root would find itself to be root. */
export const asOurselves = (): string[] =>
  isRoot()
    ? []
    : ['--unshare-user', '--uid', String(process.getuid?.()), '--gid', String(process.getgid?.())];

let works = false;

/** Why a sandbox cannot have a network of its own here, with a remedy; null when it can. */
export async function whyNoOwnNetwork(): Promise<string | null> {
  if (works) return null;
  if ((await findExecutable('pasta')) === null)
    return 'pasta is not on PATH; install passt (apt install passt)';
  if ((await resolverInside()) === null)
    return `the name servers of ${RESOLVER} are on this machine's loopback; add one that is not`;
  const [file, ...rest] = await pastaArgs([]);
  const { failed, stderr } = await execa(file, [...rest, '--', 'unshare', '--mount-proc', 'true'], {
    reject: false,
    stdin: 'ignore',
    timeout: 10_000,
  });
  works = !failed;
  if (works) return null;
  const reason = stderr.trim().split('\n').at(-1) ?? '';
  return `pasta cannot create a network here (${reason}); it needs user namespaces, /dev/net/tun and a default route`;
}

/** The file that names name servers which can be reached without loopback; null where there is none. */
async function resolverInside(): Promise<string | null> {
  const serversOf = async (file: string): Promise<string[]> =>
    nameServers(await readFile(file, 'utf8').catch(() => ''));
  const usual = await serversOf(RESOLVER);
  if (usual.length === 0 || usual.some((server) => !isLoopback(server))) return RESOLVER;
  const behind = existsSync(BEHIND_RESOLVED) ? await serversOf(BEHIND_RESOLVED) : [];
  return behind.some((server) => !isLoopback(server)) ? BEHIND_RESOLVED : null;
}

/** Arguments of bwrap by which names are resolved in a network of its own. */
export async function resolverArgs(): Promise<string[]> {
  const file = await resolverInside();
  return file === null || file === RESOLVER ? [] : ['--ro-bind', file, await realpath(RESOLVER)];
}
