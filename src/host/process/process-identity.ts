import { readFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';

/** Identifies a process, so that another one with the same pid, or after a reboot, is not mistaken for it. */
export interface ProcessIdentity {
  pid: number;
  /** Kernel start time: clock ticks since boot on Linux, a date as text elsewhere. */
  start: string;
  boot: string;
}

const isLinux = process.platform === 'linux';

const readBootId = (): string =>
  isLinux
    ? readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    : execFileSync('sysctl', ['-n', 'kern.boottime'], { encoding: 'utf8' }).trim();

/** A constant while this process runs. */
let knownBootId: string | undefined;

/** Returns an id that changes with every boot of the machine. */
export const bootId = (): string => (knownBootId ??= readBootId());

/** Returns the start time of a live process; null if there is none, or only its zombie. */
function startTime(pid: number): string | null {
  try {
    if (!isLinux) {
      const line = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], {
        encoding: 'utf8',
      }).trim();
      return line === '' || line.startsWith('Z') ? null : line.replace(/^\S+\s+/, '');
    }
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command name, in parentheses, can contain spaces and parentheses, so fields are counted from the last one.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, start] = [fields[0], fields[19]];
    return state === 'Z' || state === 'X' || start === undefined ? null : start;
  } catch {
    return null;
  }
}

/** Returns the identity of a live process, or null. */
export function identify(pid: number): ProcessIdentity | null {
  const start = startTime(pid);
  return start === null ? null : { pid, start, boot: bootId() };
}

/** A constant while this process runs. */
let known: ProcessIdentity | null = null;

/** Returns the identity of this process. Throws if the process table cannot be read. */
export function ownIdentity(): ProcessIdentity {
  known ??= identify(process.pid);
  if (known === null) throw new Error('cannot read this process from the process table; is /proc mounted?');
  return known;
}

/** True if exactly this process is running, not another one with its pid or one of an earlier boot. */
export function isAlive(identity: ProcessIdentity): boolean {
  return identity.boot === bootId() && startTime(identity.pid) === identity.start;
}

/** Sends a signal to exactly this process. Returns false if that fails, for example because it is gone. */
export function signalProcess(identity: ProcessIdentity, signal: NodeJS.Signals): boolean {
  if (!isAlive(identity)) return false;
  try {
    process.kill(identity.pid, signal);
    return true;
  } catch {
    return false;
  }
}
