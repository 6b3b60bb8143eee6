import { realpath } from 'node:fs/promises';
import { findExecutable, remembered } from '#host';
import { argvOf } from '#lib';
import { bubblewrapArgs, rulesFor } from './bubblewrap-rules.js';
import { withChecksVariable } from './check-files.js';
import type { Environment, EnvironmentHandle } from './environment.js';
import { execLocally, local, makeChecksFolders, makeSocketsFolder } from './local.js';
import { restoreIdsArgs, inOwnNetwork, resolverArgs, ownNetworkProblem } from './network.js';
import { trialError } from './trial.js';

type Network = EnvironmentHandle['network'];

/** Returns the command line that starts a program in a sandbox of bwrap and exits as the program does. */
async function inSandbox(args: string[], argv: string[], network?: Network): Promise<string[]> {
  // Found by our PATH: the agent's PATH may shadow them.
  const [bwrap, env] = [findExecutable('bwrap'), findExecutable('env')];
  if (bwrap === null || env === null) throw new Error('bwrap or env was not found on PATH');
  const own = network === undefined ? [] : [...restoreIdsArgs(), ...(await resolverArgs())];
  const inner = [bwrap, ...args, ...own, env, '--default-signal=TERM', ...argv];
  // SIGTERM is meant for the agent. bwrap and pasta would exit at once and take the agent with them. The signal is
  // blocked for them rather than ignored, because pasta sets a handler.
  const outer = network === undefined ? inner : await inOwnNetwork(network.ports, inner);
  return [env, '--block-signal=TERM', ...outer];
}

/** Runs `true` in the sandbox. Returns the last line of bwrap's or pasta's error message if that fails, else null. */
async function sandboxProblem(args: string[], network?: Network): Promise<string | null> {
  return trialError(await inSandbox(args, ['true'], network));
}

const sandbox = remembered(() => ({ works: false }));

/** Returns why bubblewrap does not work on this machine, with a remedy; null if it does. */
export async function bubblewrapProblem(): Promise<string | null> {
  if (sandbox().works) return null;
  if (process.platform !== 'linux') return 'bubblewrap requires Linux; use environment.type: local';
  for (const [program, from] of [
    ['bwrap', 'bubblewrap'],
    ['env', 'coreutils'],
  ] as const)
    if (findExecutable(program) === null) return `${program} is not on PATH; install ${from} (apt install ${from})`;
  const problem = await sandboxProblem(bubblewrapArgs([{ path: '/tmp', look: 'scratch' }], '/'));
  sandbox().works = problem === null;
  return problem === null
    ? null
    : `bwrap cannot create its namespaces here (${problem}); allow user namespaces (sysctl kernel.unprivileged_userns_clone=1, kernel.apparmor_restrict_unprivileged_userns=0; in a container, a seccomp profile that allows them), or use environment.type: local`;
}

/** Absolute paths in a command line. */
const pathsIn = (command: string): string[] => command.match(/(?<![^\s"'=:;|&<>(])\/[^\s"'`;|&<>()]+/g) ?? [];

/** Variables that tell scripts where things are. Their values are not programs that must be readable. */
const isScriptVariable = (name: string): boolean => name.startsWith('LLM_TOOL_TEST_');

/**
 * `local`, with the agent and everything that checks its work in a sandbox: files are read-only except for the run's
 * own, what does not belong to the run is hidden, and the loopback of this machine cannot be reached
 * (specs/explanation/security.md). Setup commands and the health check, which run before the agent, run as in `local`.
 */
export const bubblewrap: Environment = {
  ...local,
  async choose() {
    const lacking = await bubblewrapProblem();
    if (lacking !== null) return { type: 'bubblewrap', lacking, network: 'shared', lacksNetwork: null };
    const lacksNetwork = await ownNetworkProblem();
    return {
      type: 'bubblewrap',
      lacking,
      network: lacksNetwork === null ? 'isolated' : 'shared',
      lacksNetwork,
    };
  },

  forgeryRisk: () =>
    Promise.resolve(
      findExecutable('perl') === null
        ? 'without perl, what the agent starts can write into what the agent prints; install perl'
        : null,
    ),

  doctor: {
    // Only required by scenarios with `bubblewrap`. Those with `auto` run without it.
    async bubblewrap() {
      const lacking = await bubblewrapProblem();
      return lacking === null
        ? { usable: true, message: 'agents can be sandboxed (environment.type: bubblewrap or auto)' }
        : { usable: false, message: `agents are not sandboxed: ${lacking}` };
    },
    // Without pasta, sandboxed agents share the network of this machine.
    async pasta() {
      const lacking = await ownNetworkProblem();
      return lacking === null
        ? { usable: true, message: "sandboxed agents do not reach this machine's loopback" }
        : { usable: false, message: `sandboxed agents share this machine's network: ${lacking}` };
    },
  },

  async apart(handle, { argv, env, shown }) {
    const rules = await rulesFor(handle, { argv: [...argv, ...shown], env });
    return inSandbox(bubblewrapArgs(rules, handle.workspace), argv, handle.network);
  },

  async start(handle, request) {
    makeSocketsFolder(handle, request);
    const named = { ...request, argv: [...request.argv, ...(request.shown ?? [])] };
    const args = bubblewrapArgs(await rulesFor(handle, named), handle.workspace);
    // Checked first: a failure of bwrap would be taken for an exit of the agent.
    const problem = await sandboxProblem(args, handle.network);
    if (problem !== null) throw new Error(`the sandbox could not be created: ${problem}`);
    const argv = await inSandbox(args, request.argv, handle.network);
    return local.start(handle, { ...request, argv, sealed: true });
  },

  async exec(handle, request) {
    if (request.inSandbox === undefined) return local.exec(handle, request);
    const { checks: snapshot } = request.inSandbox;
    // The snapshot itself, which the sandbox cannot write to.
    const given = snapshot === undefined ? request : withChecksVariable(request, await realpath(snapshot));
    const { command, env } = given;
    const checks = { shown: [...request.inSandbox.shown, ...(snapshot === undefined ? [] : [snapshot])] };
    makeChecksFolders(handle); // they are mounted into the sandbox
    const named = Object.entries(env).filter(([name]) => !isScriptVariable(name));
    const started = { argv: argvOf(command).flatMap(pathsIn), env: Object.fromEntries(named), checks };
    const args = bubblewrapArgs(await rulesFor(handle, started), handle.workspace);
    const argv = await inSandbox(args, [...argvOf(command)], handle.network);
    const result = await execLocally(handle, given, argv);
    // A sandbox that fails exits with 1, which says nothing about the command. Checked only now, because most commands
    // succeed.
    if (result.exitCode !== 1) return result;
    const problem = await sandboxProblem(args, handle.network);
    if (problem !== null) throw new Error(`the sandbox could not be created: ${problem}`);
    return result;
  },
};
