import { execa } from 'execa';
import { findExecutable } from '../platform/process/find-executable.js';
import { bubblewrapArgs } from './bubblewrap-args.js';
import { rulesFor } from './bubblewrap-rules.js';
import type { Environment, EnvironmentHandle } from './environment.js';
import { execLocally, local, makeChecksFolders } from './local.js';
import { asOurselves, inOwnNetwork, resolverArgs } from './network.js';

type Network = EnvironmentHandle['network'];

/** Starts a program in what bwrap has made; its end is the program's. */
async function inSandbox(args: string[], argv: string[], network?: Network): Promise<string[]> {
  // By our PATH: the agent's may shadow them.
  const [bwrap, env] = await Promise.all([findExecutable('bwrap'), findExecutable('env')]);
  if (bwrap === null || env === null) throw new Error('bwrap or env was not found on PATH');
  const own = network === undefined ? [] : [...asOurselves(), ...(await resolverArgs())];
  const inner = [bwrap, ...args, ...own, env, '--default-signal=TERM', ...argv];
  // Who is asked to end is the agent: bwrap and pasta would go at once, and take it along. Blocked, and not ignored: pasta
  // sets a handler.
  const outer = network === undefined ? inner : await inOwnNetwork(network.ports, inner);
  return [env, '--block-signal=TERM', ...outer];
}

/** What bwrap or pasta says when it cannot do as it is asked; null when it can. */
async function complaint(args: string[], network?: Network): Promise<string | null> {
  const [file = '', ...rest] = await inSandbox(args, ['true'], network);
  const { failed, stderr } = await execa(file, rest, { reject: false, stdin: 'ignore' });
  return failed ? (stderr.trim().split('\n').at(-1) ?? '') : null;
}

let works = false;

/** Why an agent cannot be put into bubblewrap here, with a remedy; null when it can. */
export async function whyNoBubblewrap(): Promise<string | null> {
  if (works) return null;
  if (process.platform !== 'linux') return 'bubblewrap is for Linux; use environment.type: local';
  for (const [program, from] of [
    ['bwrap', 'bubblewrap'],
    ['env', 'coreutils'],
  ] as const)
    if ((await findExecutable(program)) === null)
      return `${program} is not on PATH; install ${from} (apt install ${from})`;
  const said = await complaint(bubblewrapArgs([{ path: '/tmp', look: 'scratch' }], '/'));
  works = said === null;
  return said === null
    ? null
    : `bwrap cannot create its namespaces here (${said}); allow user namespaces (sysctl kernel.unprivileged_userns_clone=1, kernel.apparmor_restrict_unprivileged_userns=0; in a container, a seccomp profile that allows them), or use environment.type: local`;
}

/** Absolute paths as a command line names them. */
const pathsIn = (command: string): string[] => command.match(/(?<![^\s"'=:;|&<>(])\/[^\s"'`;|&<>()]+/g) ?? [];

/** Names of places that scripts are told of, and need not read as programs. */
const isScriptVariable = (name: string): boolean => name.startsWith('LLM_TOOL_TEST_');

/**
 * `local`, with the agent and all that checks its work in a sandbox: files are read-only but for the run's own, what is not
 * the run's is not there, and the loopback of this machine is out of reach (specs/explanation/security.md). Setup commands and the
 * health check, which come before the agent, are run as in `local`.
 */
export const bubblewrap: Environment = {
  ...local,
  async start(handle, request) {
    const args = bubblewrapArgs(await rulesFor(handle, request), handle.workspace);
    // Tried first: the exit of a bwrap that fails would be taken for the agent's.
    const said = await complaint(args, handle.network);
    if (said !== null) throw new Error(`the sandbox could not be created: ${said}`);
    return local.start(handle, { ...request, argv: await inSandbox(args, request.argv, handle.network) });
  },

  async exec(handle, request) {
    if (request.inSandbox === undefined) return local.exec(handle, request);
    const { command, env, inSandbox: checks } = request;
    makeChecksFolders(handle); // they are mounted
    const named = Object.entries(env).filter(([name]) => !isScriptVariable(name));
    const started = { argv: pathsIn(command), env: Object.fromEntries(named), checks };
    const args = bubblewrapArgs(await rulesFor(handle, started), handle.workspace);
    const argv = await inSandbox(args, ['sh', '-c', command], handle.network);
    const result = await execLocally(handle, request, argv);
    // The failure of a sandbox, which ends with 1, is none of the command's. Looked into only now: most commands succeed.
    if (result.exitCode !== 1) return result;
    const said = await complaint(args, handle.network);
    if (said !== null) throw new Error(`the sandbox could not be created: ${said}`);
    return result;
  },
};
