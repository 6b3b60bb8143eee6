/** The prompt for an agent that resumes its session. The session already contains the task. */
export const RESUME_PROMPT = 'You were interrupted. Continue where you stopped.';
