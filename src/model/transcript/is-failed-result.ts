import type { EventBody } from '../records/events.js';

/** Whether the call of a tool failed. Without an exit code, the agent's own word counts. */
export const isFailedResult = ({
  exit_code,
  is_error,
}: Pick<Extract<EventBody, { type: 'tool_result' }>, 'exit_code' | 'is_error'>): boolean =>
  exit_code === null ? is_error : exit_code !== 0;
