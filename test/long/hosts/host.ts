import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { readTail } from '../../../src/engine/server.js';
import type { Ended } from '../../commands/in-process.js';
import { CLI, until } from '../../commands/project.js';
import { allProcesses, killProcess, procLink, readProc } from '../../host/processes.js';
import type { Link, Network } from './network.js';

/** A host: processes with a network, process ids, a host name and a state folder of their own. */
export interface Host {
  name: string;
  /** LLM_TOOL_TEST_HOME. It outlives the processes, as a disk does. */
  home: string;
  link: Link;
  /** Starts a command as the main process of the host: when it ends, everything else ends. */
  start: (command: string[], env: Record<string, string>, cwd: string) => void;
  /** Runs our command line in the host, which must be running, to its end. */
  run: (args: string[], env?: Record<string, string>) => Promise<Ended>;
  /** The processes of the host, by their ids on this machine. */
  pids: () => number[];
  /** Kills everything at once, like a loss of power. */
  kill: () => Promise<void>;
  /** Stops everything, like a virtual machine that is suspended. */
  freeze: () => Promise<void>;
  thaw: () => void;
  /** Asks the main process to end. */
  terminate: () => void;
  untilGone: (timeoutMs?: number) => Promise<void>;
  /** Kills everything, and removes the network. */
  remove: () => Promise<void>;
  /** The ends of what the main process and its workers have printed. */
  log: () => Promise<string>;
}

/** Waits for its orphans, as the init process of a container does, and ends with the command. */
const INIT = `
hostname "$1" && shift
"$@" &
main=$!
trap 'kill -TERM $main' TERM
while kill -0 $main 2>/dev/null; do wait $main; done
`;

const hosts = new Set<Host>();
// Also if the tests end without running their hooks.
process.once('exit', () => hosts.forEach((host) => signal(host.pids(), 'SIGKILL')));

/** Creates a host below a folder, and starts nothing. */
export function createHost(name: string, network: Network, folder: string): Host {
  const home = join(folder, name);
  const log = join(folder, `${name}.log`);
  const link = network.add(name);
  const { ino } = statSync(`/run/netns/${link.namespace}`);
  const pids = (): number[] => processesIn(`net:[${ino}]`);
  const own = { PATH: process.env['PATH'], LLM_TOOL_TEST_HOME: home, NO_COLOR: '1' };
  const init = (): number => {
    const pid = pids().find(isInit);
    if (pid === undefined) throw new Error(`${name} is not running`);
    return pid;
  };
  mkdirSync(home, { recursive: true });
  const host: Host = {
    name,
    home,
    link,
    pids,
    start(command, env, cwd) {
      const output = openSync(log, 'a');
      const inside = ['unshare', '--uts', '--pid', '--fork', '--kill-child=KILL', '--mount-proc', '--'];
      const init = ['sh', '-c', INIT, 'init', name, ...command];
      spawn('ip', ['netns', 'exec', link.namespace, ...inside, ...init], {
        cwd,
        stdio: ['ignore', output, output],
        env: { ...own, ...env },
      });
      closeSync(output);
    },
    async kill() {
      // A process may fork between the look and the kill.
      await until(`the end of ${name}`, () => {
        const found = pids();
        signal(found, 'SIGKILL');
        return found.length === 0 ? true : null;
      });
    },
    async freeze() {
      await until(`everything on ${name} stands still`, () => {
        const awake = pids().filter((pid) => !isStopped(pid));
        signal(awake, 'SIGSTOP');
        return awake.length === 0 ? true : null;
      });
    },
    thaw: () => signal(pids(), 'SIGCONT'),
    terminate: () => signal([init()], 'SIGTERM'),
    async run(args, env) {
      const namespaces = ['--net', '--uts', '--pid', '--mount'];
      const { exitCode, stdout, stderr } = await execa(
        'nsenter',
        ['--target', String(init()), ...namespaces, '--', CLI, ...args],
        { cwd: home, env: { ...own, ...env }, extendEnv: false, reject: false, stdin: 'ignore' },
      );
      return { exitCode, stdout, stderr };
    },
    untilGone: async (timeoutMs) => {
      await until(`the end of ${name}`, () => (pids().length === 0 ? true : null), timeoutMs);
    },
    async remove() {
      await host.kill();
      link.remove();
      hosts.delete(host);
    },
    async log() {
      const workers = readdirSync(home).map((id) => join(home, id, 'logs', 'worker.log'));
      return (await Promise.all([log, ...workers].map(readTail))).join('\n');
    },
  };
  hosts.add(host);
  return host;
}

function processesIn(namespace: string): number[] {
  return allProcesses().filter((pid) => procLink(pid, 'ns/net') === namespace);
}

/** True if a process stands still. One that has ended does, too. */
function isStopped(pid: number): boolean {
  const status = readProc(pid, 'status');
  return status === '' || /^State:\s+[TZX]/m.test(status);
}

/** True if a process is the first one of a host: number 1 in the first namespace below that of this process. */
const isInit = (pid: number): boolean => /^NSpid:\s+\d+\s+1$/m.test(readProc(pid, 'status'));

function signal(pids: number[], name: NodeJS.Signals): void {
  for (const pid of pids) killProcess(pid, name);
}
