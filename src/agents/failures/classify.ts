import { beginningOf } from '../../lib/format/truncate.js';
import type { AgentEnd, Classified } from '../agent.js';
import { failureKind, providerFailure } from './provider-failure.js';
import type { FailureKind } from './provider-messages.js';
import { meaningfulLines } from './stderr-noise.js';

/** Shells say so when the command is not there (127) or cannot be executed (126). */
const CANNOT_START = new Set([126, 127]);
/** Claude Code, Codex, OpenCode and pi, asked to go on with a session that is not there. */
const NO_SESSION =
  /no conversation found with session|no rollout found|session not found|no session found matching/i;
const MESSAGE_LENGTH = 300;
/** SIGINT, SIGKILL, SIGTERM: whoever is killed from outside does not know why. */
const KILLED = new Set([130, 137, 143]);
/** What no time mends: the run says nothing of the tool under test, whatever ended it at last. */
const OF_ACCOUNT: ReadonlySet<FailureKind | null> = new Set(['auth', 'account', 'limit', 'policy']);

/**
 * A failure of the account that was the last word of an agent: it has not got over it, so a time limit that ends it later
 * is not the cause.
 */
function accountFailure(end: AgentEnd): Classified | null {
  return end.error !== null && OF_ACCOUNT.has(failureKind(end)) ? providerFailure(end) : null;
}

/** What the harness itself ended, whatever the agent made of it; null where the agent ended by itself. */
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
          message: 'stopped: no output for the idle time',
          again: null,
        }
      );
    case 'cost':
      return { ending: 'max_cost', message: 'stopped: its cost passed the limit', again: null };
    case null:
      return null;
  }
}

/** Why an agent ended, as far as it said: its last error, or the last line of stderr that is no noise. */
function reasonOf({ error, stderr, exitCode }: AgentEnd): string {
  const printed = KILLED.has(exitCode) ? undefined : meaningfulLines(stderr).at(-1)?.trim();
  return beginningOf(error?.message ?? printed ?? '', MESSAGE_LENGTH);
}

const withExit = ({ exitCode }: AgentEnd, reason: string): string =>
  `exit ${exitCode}${reason === '' ? '' : `: ${reason}`}`;

/** The end of an agent whose exit status is all there is to go by: 0 means completed. */
export function classifyByExit(end: AgentEnd): Classified {
  const stopped = classifyStopped(end);
  if (stopped !== null) return stopped;
  if (end.exitCode === 0) return { ending: 'done', message: 'completed', again: null };
  const failure = accountFailure(end);
  // Whether waiting helps is not known of a program that is not ours.
  if (failure !== null) return { ...failure, again: null };
  const message = withExit(end, reasonOf(end));
  if (CANNOT_START.has(end.exitCode)) return { ending: 'unable', message, again: null };
  return { ending: end.exitCode > 128 ? 'crashed' : 'gave_up', message, again: null };
}

/**
 * The end of an agent that says how it ended. Exit status 0 proves nothing: agents exit so when they are killed, or
 * refused by their provider. Only a `result` event of the stream is taken for success.
 */
export function classifyByResult(end: AgentEnd): Classified {
  const stopped = classifyStopped(end);
  if (stopped !== null) return stopped;
  if (end.result?.ending === 'done') return { ending: 'done', message: 'completed', again: null };
  if (end.result?.ending === 'max_turns')
    return { ending: 'max_turns', message: 'reached its limit of turns', again: null };
  if (NO_SESSION.test(`${end.error?.message ?? ''}\n${end.stderr}`)) {
    const message = 'did not find its session';
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
