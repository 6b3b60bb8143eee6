import { QUERIES, type SweepProgress } from '#protocol';
import type { Session } from '../session.js';

const ANSWER_MS = 2000;

/** Asks the workflow of a sweep for its progress. Returns null if no worker answers. */
export const askProgress = (
  { client }: Pick<Session, 'client'>,
  workflowId: string,
): Promise<SweepProgress | null> =>
  client
    .withDeadline(Date.now() + ANSWER_MS, () =>
      client.workflow.getHandle(workflowId).query<SweepProgress>(QUERIES.progress),
    )
    .catch(() => null);
