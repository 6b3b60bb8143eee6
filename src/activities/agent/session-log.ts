import type { Agent } from '#agents';
import { fileText } from '#gates';
import type { RunContext } from '../step/run-context.js';
import { sessionOf, type AgentOutput } from './outputs.js';

type SessionLog = NonNullable<NonNullable<Agent['firstRequest']>['log']>;

/** A log of more bytes is not read: it has to be in memory at once. */
const MOST_BYTES = 64 * 1024 * 1024;
const FIND_SECS = 10;
/** Ids become part of a pattern. */
const PLAIN_ID = /^[\w-]+$/;

/** The lines of the session's log in the private folders, which are still there; a text says why there are none. */
export async function linesOfLog(
  context: RunContext,
  start: AgentOutput,
  log: SessionLog,
): Promise<string[] | string> {
  const { environment, handle, baseEnv } = context;
  const session = await sessionOf(context, [start]);
  if (session === null || !PLAIN_ID.test(session)) return 'the agent began no session';
  const { folder, name } = log(context, session);
  const { exitCode, stdout } = await environment.exec(handle, {
    command: ['find', folder, '-type', 'f', '-name', name],
    env: baseEnv,
    timeoutSecs: FIND_SECS,
  });
  const [path, ...others] = stdout.split('\n').filter((line) => line.startsWith(`${folder}/`));
  if (exitCode !== 0 || path === undefined || others.length > 0)
    return 'the log of its session was not found';
  const look = await environment.look(handle, path.slice(folder.length + 1), folder);
  const text = look.kind === 'file' && look.bytes <= MOST_BYTES ? await fileText(look) : null;
  return text === null ? 'the log of its session cannot be read' : text.split('\n');
}
