/**
 * The ways to contain a supervised agent: a PID namespace (created as root, or as a user), a session and an environment
 * mark, or the run's own container.
 */
export const CONTAINMENTS = ['pidns', 'userns', 'group', 'container'] as const;
export type Containment = (typeof CONTAINMENTS)[number];

/**
 * The reason why an agent was stopped: it was cancelled, its time or idle time was over, it cost too much, or it did
 * not exit after its final result.
 */
export const STOP_REASONS = ['cancel', 'deadline', 'idle', 'cost', 'result'] as const;
export type StopReason = (typeof STOP_REASONS)[number];
