import { beginningOf } from '#lib';
import type { AgentEnd, Classified } from '../agent.js';
import { CAUSES, type FailureKind } from './causes.js';
import { failureKind, providerFailure, statedKind } from './provider-failure.js';
import { lastMessage, meaningfulLines } from './stderr-noise.js';

/** Exit statuses of shells for a command that is not found (127) or cannot be executed (126). */
const CANNOT_START = new Set([126, 127]);
/** Messages of Claude Code, Codex, OpenCode and pi if the session to resume does not exist. */
const NO_SESSION = /no conversation found with session|no rollout found|session not found|no session found matching/i;
const MESSAGE_LENGTH = 300;
/** Exit statuses for SIGHUP, SIGINT, SIGKILL and SIGTERM. A program that is killed from outside cannot print why. */
const KILLED: ReadonlyMap<number, string> = new Map([
  [129, 'SIGHUP'],
  [130, 'SIGINT'],
  [137, 'SIGKILL'],
  [143, 'SIGTERM'],
]);
/** Failures after which an agent does not work until they are over, for as long as it may try. */
const UNSERVED: ReadonlySet<FailureKind | null> = new Set([
  ...(['auth', 'account', 'limit', 'policy', 'busy', 'network', 'page'] as const),
]);

/**
 * A failure of the provider that the agent did not recover from, or null. If a time limit ends the agent later, the
 * limit is not the cause.
 */
function unserved(end: AgentEnd): Classified | null {
  return end.error !== null && UNSERVED.has(failureKind(end)) ? providerFailure(end) : null;
}

/** An agent that has ended by a signal, which the harness did not send. Null for any other end. */
function killed({ exitCode, stopped }: AgentEnd): Classified | null {
  const signal = KILLED.get(exitCode);
  if (signal === undefined || stopped !== null) return null;
  const { why, ending } = CAUSES.killed;
  const cause = signal === 'SIGKILL' ? '; was the memory of the machine exhausted?' : '';
  return { ending, message: `${why} (${signal})${cause}`, again: { why: 'killed', at: null } };
}

/** Classifies an agent that the harness stopped. Null if it ended by itself, which a final result shows too. */
function classifyStopped(end: AgentEnd): Classified | null {
  if (end.result?.ending === 'done' && (end.stopped === 'deadline' || end.stopped === 'idle')) return null;
  switch (end.stopped) {
    case 'cancel':
      return { ending: 'cancelled', message: 'cancelled', again: null };
    case 'deadline':
      return unserved(end) ?? { ending: 'timeout', message: 'timed out', again: null };
    case 'idle':
      return (
        unserved(end) ?? {
          ending: 'idle_timeout',
          message: 'stopped: no output within the idle timeout',
          again: null,
        }
      );
    case 'cost':
      return { ending: 'max_cost', message: 'stopped: it exceeded the cost limit', again: null };
    case 'result': // it had ended, except that its process was still there
    case null:
      return null;
  }
}

/** Returns why the agent ended: its last error, else the last meaningful line of stderr. Empty if it did not say. */
function reasonOf({ error, stderr, exitCode }: AgentEnd): string {
  const printed = KILLED.has(exitCode) ? undefined : meaningfulLines(stderr).at(-1)?.trim();
  return beginningOf(error?.message ?? printed ?? '', MESSAGE_LENGTH);
}

const withExit = ({ exitCode }: AgentEnd, reason: string): string =>
  `exit ${exitCode}${reason === '' ? '' : `: ${reason}`}`;

/** Classifies the end of an agent that does not report how it ended. Exit status 0 means that it completed. */
export function classifyByExit(end: AgentEnd): Classified {
  const stopped = classifyStopped(end);
  if (stopped !== null) return stopped;
  const isDone = end.stopped === null ? end.exitCode === 0 : end.result?.ending === 'done';
  if (isDone) return { ending: 'done', message: 'completed', again: null };
  const failure = unserved(end) ?? refused(end) ?? unservedByStderr(end) ?? killed(end);
  if (failure !== null) return failure;
  if (end.stopped === 'result') return { ending: 'gave_up', message: 'gave up', again: null };
  const message = withExit(end, reasonOf(end));
  if (CANNOT_START.has(end.exitCode)) return { ending: CAUSES.missing.ending, message, again: null };
  return { ending: end.exitCode > 128 ? 'crashed' : 'gave_up', message, again: null };
}

/** A request that the provider refused, according to its status. Null if the agent reports no status. */
const refused = (end: AgentEnd): Classified | null =>
  end.error?.status !== undefined && failureKind(end) === 'refused' ? providerFailure(end) : null;

/**
 * A failure of the provider in the last message on stderr, for a program that reports no error in another way. Null if
 * the message does not say so clearly: it may be about anything, also about the tool under test.
 */
function unservedByStderr({ error, stderr, exitCode, stopped, at }: AgentEnd): Classified | null {
  if (error !== null || stopped !== null || KILLED.has(exitCode)) return null;
  const last = { error, stderr: lastMessage(stderr), at };
  const kind = statedKind(last);
  if (!UNSERVED.has(kind)) return null;
  const failure = providerFailure(last, kind);
  // For a program that we do not know, it is unknown whether waiting helps.
  return failure === null ? null : { ...failure, again: null };
}

/**
 * Classifies the end of an agent that reports how it ended. Only a `result` event counts as success. Exit status 0
 * proves nothing, because agents also exit with it when they are killed, or when their provider rejects them.
 */
export function classifyByResult(end: AgentEnd): Classified {
  const stopped = classifyStopped(end);
  if (stopped !== null) return stopped;
  if (end.result?.ending === 'done') return { ending: 'done', message: 'completed', again: null };
  if (end.result?.ending === 'max_turns')
    return { ending: 'max_turns', message: 'reached its turn limit', again: null };
  if (NO_SESSION.test(`${end.error?.message ?? ''}\n${end.stderr}`)) {
    const message = 'could not resume its session';
    return { ending: 'crashed', message, again: { why: 'session', at: null } };
  }
  const atOnce = end.error === null && end.result === null ? killed(end) : null;
  const failure = atOnce ?? providerFailure(end) ?? (end.result === null ? killed(end) : null);
  if (failure !== null) return failure;
  const reason = reasonOf(end);
  if (CANNOT_START.has(end.exitCode))
    return { ending: CAUSES.missing.ending, message: withExit(end, reason), again: null };
  if (end.result !== null) return { ending: 'gave_up', message: reason === '' ? 'gave up' : reason, again: null };
  const message = `ended without reporting that it had finished; ${withExit(end, reason)}`;
  return { ending: 'crashed', message, again: null };
}
