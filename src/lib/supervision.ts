/**
 * How a supervised agent is contained: a PID namespace (as root, as a user), session and environment mark, or a container of
 * the run's own.
 */
export const CONTAINMENTS = ['pidns', 'userns', 'group', 'container'] as const;
export type Containment = (typeof CONTAINMENTS)[number];

/** Why an agent did not end by itself: someone cancelled it, its time or idle time was over, it cost too much. */
export const STOP_REASONS = ['cancel', 'deadline', 'idle', 'cost'] as const;
export type StopReason = (typeof STOP_REASONS)[number];
