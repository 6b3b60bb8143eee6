import { readFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';

/** A process named so that a later process with the same pid, or after a reboot, is not mistaken for it. */
export interface ProcessIdentity {
  pid: number;
  /** Kernel start time: clock ticks since boot on Linux, a date text elsewhere. */
  start: string;
  boot: string;
}

const isLinux = process.platform === 'linux';

const readBootId = (): string =>
  isLinux
    ? readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    : execFileSync('sysctl', ['-n', 'kern.boottime'], { encoding: 'utf8' }).trim();

let knownBootId: string | undefined;

/** Changes with every start of the machine. */
export const bootId = (): string => (knownBootId ??= readBootId());

/** Start time of a live process; null when there is none, or only its zombie. */
function startTime(pid: number): string | null {
  try {
    if (!isLinux) {
      const line = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], {
        encoding: 'utf8',
      }).trim();
      return line === '' || line.startsWith('Z') ? null : line.replace(/^\S+\s+/, '');
    }
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command name, in parentheses, may hold spaces and parentheses of its own: fields count from the last one.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, start] = [fields[0], fields[19]];
    return state === 'Z' || state === 'X' || start === undefined ? null : start;
  } catch {
    return null;
  }
}

/** The identity of a live process, or null. */
export function identify(pid: number): ProcessIdentity | null {
  const start = startTime(pid);
  return start === null ? null : { pid, start, boot: bootId() };
}

let known: ProcessIdentity | null = null;

/** The identity of this process. */
export function ownIdentity(): ProcessIdentity {
  known ??= identify(process.pid);
  if (known === null) throw new Error('cannot read this process from the process table; is /proc mounted?');
  return known;
}

/** Whether exactly this process runs: not another one that has got its pid, nor one of an earlier boot. */
export function isAlive(identity: ProcessIdentity): boolean {
  return identity.boot === bootId() && startTime(identity.pid) === identity.start;
}

/** Sends a signal to exactly this process; false when it is gone already. */
export function signalProcess(identity: ProcessIdentity, signal: NodeJS.Signals): boolean {
  if (!isAlive(identity)) return false;
  try {
    process.kill(identity.pid, signal);
    return true;
  } catch {
    return false;
  }
}
