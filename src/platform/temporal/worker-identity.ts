import { hostname } from 'node:os';
import { sha256 } from '../../lib/hash.js';
import { identify, ownIdentity, type ProcessIdentity } from '../process/process-identity.js';

/** A process id may be used again: this says which of the processes with that id is meant. */
const distinction = ({ start, boot }: ProcessIdentity): string => sha256(`${start} ${boot}`).slice(0, 8);

/** The identity under which this worker polls, `<pid>@<host>#<process>`. The Web UI shows it beside each step. */
export function ownWorkerIdentity(): string {
  const own = ownIdentity();
  return `${own.pid}@${hostname()}#${distinction(own)}`;
}

/** Whether a worker is known to be dead. Nobody can tell that of a worker on another host. */
export function isDeadWorker(identity: string): boolean {
  const [, pid, host, process] = /^(\d+)@([^#]*)(?:#(.*))?$/.exec(identity) ?? [];
  if (pid === undefined || host !== hostname()) return false;
  const living = identify(Number(pid));
  // Workers of older builds have no third part.
  return living === null || (process !== undefined && process !== distinction(living));
}
