import { WorkflowNotFoundError } from '@temporalio/client';
import { sweepWorkflowId, UPDATES, type SweepStatus } from '../../workflows/protocol.js';
import type { Session } from '../session.js';

export interface SteerOptions {
  json: boolean;
  results?: string;
  address?: string;
}

/** The sweep's status after an update; null when its workflow has closed since it was looked at. */
export async function updateSweep(
  { client }: Pick<Session, 'client'>,
  sweep: string,
  name: keyof typeof UPDATES,
): Promise<SweepStatus | null> {
  try {
    return await client.workflow
      .getHandle(sweepWorkflowId(sweep))
      .executeUpdate<SweepStatus, []>(UPDATES[name]);
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}
