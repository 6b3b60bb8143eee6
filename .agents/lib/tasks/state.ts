// What state.json says, and what follows from it. Pure.
import { findTask, taskAfter, type Task } from './task.ts';

/** `pending`: `current` comes next (null: the first one after `last_verified`). */
export interface State {
  current: string | null;
  status: 'pending' | 'in_progress' | 'done';
  last_verified: string | null;
}

/** Before the first task is started. */
export const FRESH: State = { current: null, status: 'pending', last_verified: null };

/** What is to be done: start a task, go on with it, verify it, or nothing any more. A task whose file is gone is undefined. */
export type Standing =
  | { kind: 'start' | 'go_on'; number: string; task: Task | undefined }
  | { kind: 'verify'; number: string }
  | { kind: 'finished' };

export function standingOf(tasks: readonly Task[], { current, status, last_verified }: State): Standing {
  if (current !== null) {
    if (status === 'done') return { kind: 'verify', number: current };
    const kind = status === 'pending' ? 'start' : 'go_on';
    return { kind, number: current, task: findTask(tasks, current) };
  }
  const task = last_verified === null ? tasks[0] : taskAfter(tasks, last_verified);
  return task === undefined ? { kind: 'finished' } : { kind: 'start', number: task.number, task };
}

/** After the verification of the current task: the next one is pending. */
export function verified(tasks: readonly Task[], current: string): { state: State; next: Task | null } {
  const next = taskAfter(tasks, current) ?? null;
  return { state: { current: next?.number ?? null, status: 'pending', last_verified: current }, next };
}
