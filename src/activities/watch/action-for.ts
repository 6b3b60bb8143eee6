import { assertNever } from '#lib';

/**
 * The server's answer about a workflow. `missing`: it does not know the workflow. `unclear`: it cannot be reached, or
 * its answer is not conclusive. `firstRunId` is null if the answer has none.
 */
export type WorkflowAnswer =
  { kind: 'found'; running: boolean; firstRunId: string | null } | { kind: 'missing' } | { kind: 'unclear' };

/** True if a workflow is open; null if unknown. */
export type WorkflowIsOpen = boolean | null;

/**
 * True if the answer says that the workflow is open. `firstRunId`: that of the expected execution. A reset keeps it;
 * another workflow with the same id has a different one.
 */
export function isOpen(answer: WorkflowAnswer, firstRunId: string | undefined): WorkflowIsOpen {
  switch (answer.kind) {
    case 'found':
      return (
        answer.running && (firstRunId === undefined || answer.firstRunId === null || answer.firstRunId === firstRunId)
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
 * The action for a run that this host has begun and not cleaned up. `end`: nobody will continue it, so its agent is
 * stopped and its workspace is removed. `cancel`: it continues without its sweep, and would report to nobody.
 */
export function actionFor({ run, sweep }: { run: WorkflowIsOpen; sweep: WorkflowIsOpen }): 'leave' | 'cancel' | 'end' {
  if (run === false) return 'end';
  return run === true && sweep === false ? 'cancel' : 'leave';
}
