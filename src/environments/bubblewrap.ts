import { execa } from 'execa';
import { findExecutable } from '../platform/find-executable.js';
import { bubblewrapArgs } from './bubblewrap-args.js';
import { rulesFor } from './bubblewrap-rules.js';
import type { Environment } from './environment.js';
import { local } from './local.js';

/** Starts a program in what bwrap has made; its end is the program's. */
async function inSandbox(args: string[], argv: string[]): Promise<string[]> {
  // By our PATH: the agent's may shadow them.
  const [bwrap, env] = await Promise.all([findExecutable('bwrap'), findExecutable('env')]);
  if (bwrap === null || env === null) throw new Error('bwrap or env was not found on PATH');
  // Who is asked to end is the agent: bwrap would go at once, and take it along.
  return [env, '--ignore-signal=TERM', bwrap, ...args, env, '--default-signal=TERM', ...argv];
}

/** What bwrap says when it cannot do as it is told; null when it can. */
async function complaint(args: string[]): Promise<string | null> {
  const [file = '', ...rest] = await inSandbox(args, ['true']);
  const { failed, stderr } = await execa(file, rest, { reject: false, stdin: 'ignore' });
  return failed ? (stderr.trim().split('\n').at(-1) ?? '') : null;
}

let works = false;

/** Why an agent cannot be put into bubblewrap here, with a remedy; null when it can. */
export async function whyNoBubblewrap(): Promise<string | null> {
  if (works) return null;
  if (process.platform !== 'linux') return 'bubblewrap is for Linux; use environment.type: local';
  if ((await findExecutable('bwrap')) === null)
    return 'bwrap is not on PATH; install bubblewrap (apt install bubblewrap)';
  const said = await complaint(bubblewrapArgs([{ path: '/tmp', look: 'scratch' }], '/'));
  works = said === null;
  return said === null
    ? null
    : `bwrap cannot make its namespaces here (${said}); allow user namespaces (sysctl kernel.unprivileged_userns_clone=1, kernel.apparmor_restrict_unprivileged_userns=0; in a container a seccomp profile that has them), or use environment.type: local`;
}

/**
 * `local`, with the agent in a sandbox: files are read-only but for the run's own, and what is not the run's is not there
 * (specs/security.md). Everything else of a run is the user's own commands, and runs as in `local`.
 */
export const bubblewrap: Environment = {
  ...local,
  async start(handle, request) {
    const args = bubblewrapArgs(await rulesFor(handle, request), handle.workspace);
    // Tried first: the exit of a bwrap that fails would be taken for the agent's.
    const said = await complaint(args);
    if (said !== null) throw new Error(`the sandbox could not be made: ${said}`);
    return local.start(handle, { ...request, argv: await inSandbox(args, request.argv) });
  },
};
