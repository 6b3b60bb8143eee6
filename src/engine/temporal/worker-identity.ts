import { hostname } from 'node:os';
import { identify, ownIdentity, type ProcessIdentity } from '#host';
import { sha256 } from '#lib';

/** Process ids are reused, so this distinguishes the processes that had the same id. */
const distinction = ({ start, boot }: ProcessIdentity): string => sha256(`${start} ${boot}`).slice(0, 8);

/**
 * Returns the identity under which this worker polls, `<pid>@<host>#<process>`. The Web UI shows it beside each step.
 * Containers may have the same host name, so a host of shared results adds its id to it.
 */
export function ownWorkerIdentity(host = hostname()): string {
  const own = ownIdentity();
  return `${own.pid}@${host}#${distinction(own)}`;
}

/** True if a worker is known to be dead, which is never known of a worker on another host. */
export function isDeadWorker(identity: string, own = hostname()): boolean {
  const [, pid, host, process] = /^(\d+)@([^#]*)#(.*)$/.exec(identity) ?? [];
  if (pid === undefined || host !== own) return false;
  const living = identify(Number(pid));
  return living === null || process !== distinction(living);
}
