import { errorEvent } from '#agents';
import type { EventBody } from '#model';
import type { AgentInPlace } from '../step/run-paths.js';
import type { RunContext } from '../step/run-context.js';

/** A larger log is not read. */
const MOST_KIB = 256 * 1024;
const READ_BYTES = 512 * 1024;
const READ_SECS = 30;

/**
 * Returns the error of an agent that reports success although its model broke off its last answer, as its log says. Null
 * if it says nothing of the kind, or cannot be read: then what the agent reports counts.
 */
export async function incompleteAnswer(
  {
    agent,
    handle,
    home,
    config,
    baseEnv,
  }: Pick<AgentInPlace, 'agent' | 'handle' | 'home' | 'config' | 'baseEnv'>,
  environment: RunContext['environment'],
  session: string | null,
): Promise<EventBody | null> {
  const { lastAnswer } = agent;
  if (lastAnswer === undefined || session === null) return null;
  // `find` follows no links, which the agent may have made
  const script = `find "$0" -type f -size -${MOST_KIB}k -exec sed -n "$1" {} + | tail -c ${READ_BYTES}`;
  const command = ['sh', '-c', script, lastAnswer.log({ home, config }), lastAnswer.records];
  const read = await environment
    .exec(handle, { command, env: { ...baseEnv, LC_ALL: 'C' }, timeoutSecs: READ_SECS })
    .catch(() => null);
  const why = read?.exitCode === 0 ? lastAnswer.whyIncomplete(read.stdout, session) : null;
  return why === null ? null : errorEvent(why, null, false);
}
