import { assertNever } from '../../lib/assert-never.js';

/**
 * What the server answers about a workflow; `missing`: it does not know it; `unclear`: it cannot be reached, or gives no
 * answer that can be used. `firstRunId` is null where it does not give one.
 */
export type Answer =
  { kind: 'found'; running: boolean; firstRunId: string | null } | { kind: 'missing' } | { kind: 'unclear' };

/** Whether a workflow still goes on; null where nobody can tell. */
export type Open = boolean | null;

/**
 * `firstRunId`: that of the execution that is meant. A reset goes on under the same one; another workflow of the same
 * name does not.
 */
export function isOpen(answer: Answer, firstRunId: string | undefined): Open {
  switch (answer.kind) {
    case 'found':
      return (
        answer.running &&
        (firstRunId === undefined || answer.firstRunId === null || answer.firstRunId === firstRunId)
      );
    case 'missing':
      return false;
    case 'unclear':
      return null;
    default:
      return assertNever(answer);
  }
}

/**
 * What becomes of a run that this host has begun and not cleaned up. `end`: nobody will go on with it, so its agent is
 * stopped and all that it has is removed. `cancel`: it goes on without its sweep, and would report to nobody.
 */
export function fateOf({ run, sweep }: { run: Open; sweep: Open }): 'leave' | 'cancel' | 'end' {
  if (run === false) return 'end';
  return run === true && sweep === false ? 'cancel' : 'leave';
}
