import { beginningOf } from '../../lib/format/truncate.js';
import type { AgentEnd, Classified } from '../agent.js';
import { failureKind, providerFailure } from './provider-failure.js';
import type { FailureKind } from './provider-messages.js';
import { meaningfulLines } from './stderr-noise.js';

/** Exit statuses of shells for a command that is not found (127) or cannot be executed (126). */
const CANNOT_START = new Set([126, 127]);
/** Messages of Claude Code, Codex, OpenCode and pi if the session to resume does not exist. */
const NO_SESSION =
  /no conversation found with session|no rollout found|session not found|no session found matching/i;
const MESSAGE_LENGTH = 300;
/** Exit statuses for SIGINT, SIGKILL and SIGTERM. A program that is killed from outside cannot print why. */
const KILLED = new Set([130, 137, 143]);
/** Failures that the run cannot recover from. It says nothing about the tool under test then, however it ended. */
const OF_ACCOUNT: ReadonlySet<FailureKind | null> = new Set(['auth', 'account', 'limit', 'policy']);

/**
 * A failure of the account that the agent did not recover from, or null. If a time limit ends the agent later, the
 * limit is not the cause.
 */
function accountFailure(end: AgentEnd): Classified | null {
  return end.error !== null && OF_ACCOUNT.has(failureKind(end)) ? providerFailure(end) : null;
}

/** Classifies an agent that the harness stopped, whatever the agent reported. Null if it ended by itself. */
function classifyStopped(end: AgentEnd): Classified | null {
  switch (end.stopped) {
    case 'cancel':
      return { ending: 'cancelled', message: 'cancelled', again: null };
    case 'deadline':
      return accountFailure(end) ?? { ending: 'timeout', message: 'timed out', again: null };
    case 'idle':
      return (
        accountFailure(end) ?? {
          ending: 'idle_timeout',
          message: 'stopped: no output within the idle timeout',
          again: null,
        }
      );
    case 'cost':
      return { ending: 'max_cost', message: 'stopped: it exceeded the cost limit', again: null };
    case null:
      return null;
  }
}

/** Why the agent ended: its last error, else the last meaningful line of stderr. Empty if it did not say. */
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
  if (end.exitCode === 0) return { ending: 'done', message: 'completed', again: null };
  const failure = accountFailure(end);
  // for a program that we do not know, it is unknown whether waiting helps
  if (failure !== null) return { ...failure, again: null };
  const message = withExit(end, reasonOf(end));
  if (CANNOT_START.has(end.exitCode)) return { ending: 'unable', message, again: null };
  return { ending: end.exitCode > 128 ? 'crashed' : 'gave_up', message, again: null };
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
  const failure = providerFailure(end);
  if (failure !== null) return failure;
  const reason = reasonOf(end);
  if (CANNOT_START.has(end.exitCode))
    return { ending: 'unable', message: withExit(end, reason), again: null };
  if (end.result !== null)
    return { ending: 'gave_up', message: reason === '' ? 'gave up' : reason, again: null };
  const message = `ended without reporting that it had finished; ${withExit(end, reason)}`;
  return { ending: 'crashed', message, again: null };
}
