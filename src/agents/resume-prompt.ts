/** What an agent is told that goes on with its own session: the session has the task. */
export const RESUME_PROMPT = 'You were interrupted. Continue where you stopped.';
