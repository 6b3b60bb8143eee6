import { existsSync } from 'node:fs';
import { displayPath, linesOf } from '#host';
import { createYielder, parseJson, UsageError } from '#lib';
import { type ActionLog, type AgentRecord, createActionCollector, EventBody, type RunEvent } from '#model';

/**
 * Yields the events of a run, one at a time.
 *
 * @throws UsageError at a line that is not an event
 */
export function* readEvents(file: string): Generator<RunEvent> {
  let number = 0;
  for (const { text } of linesOf(file, Infinity)) {
    number += 1;
    const event = parseJson(text);
    if (!EventBody.safeParse(event).success)
      throw new UsageError('results_broken', `${displayPath(file)}:${number} is not an event`);
    yield event as unknown as RunEvent;
  }
}

/**
 * Reads what the agent of a run did. Null if it left no events. `agent`: its record, which says in which form its
 * output is.
 *
 * @throws UsageError if the events cannot be read
 */
export async function readActionLog(
  file: string,
  agent: Pick<AgentRecord, 'text_output'> | null,
): Promise<ActionLog | null> {
  if (!existsSync(file)) return null;
  const yieldIfDue = createYielder();
  const collector = createActionCollector(agent === null ? null : agent.text_output === true);
  for (const event of readEvents(file)) {
    await yieldIfDue();
    collector.add(event);
  }
  return collector.end();
}
