import { z } from 'zod';

/** Says why a stored text does not fit its schema: the first problem, after the field that has it. */
export function parseFailure(error: unknown): string {
  const [issue] = error instanceof z.ZodError ? error.issues : [];
  if (issue === undefined) return (error as Error).message;
  return issue.path.length === 0 ? issue.message : `${issue.path.join('.')}: ${issue.message}`;
}
