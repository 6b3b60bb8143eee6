import { beginningOf } from '../lib/cut.js';
import type { AgentEnd, Classified } from './agent.js';

/** Shells say so when the command is not there (127) or cannot be executed (126). */
const CANNOT_START = new Set([126, 127]);

/** The end of an agent whose exit status is all there is to go by: 0 means completed. */
export function classifyByExit(end: AgentEnd): Classified {
  switch (end.stopped) {
    case 'cancel':
      return { ending: 'cancelled', message: 'cancelled', retryable: false };
    case 'deadline':
      return { ending: 'timeout', message: 'timed out', retryable: false };
    case 'idle':
      return { ending: 'idle_timeout', message: 'stopped: no output for the idle time', retryable: false };
    case 'cost':
      return { ending: 'max_cost', message: 'stopped: its cost passed the limit', retryable: false };
    case null:
  }
  if (end.exitCode === 0) return { ending: 'done', message: 'completed', retryable: false };
  const because = end.error?.message ?? end.stderr.trim().split('\n').at(-1) ?? '';
  const message = `exit ${end.exitCode}${because === '' ? '' : `: ${beginningOf(because, 300)}`}`;
  if (CANNOT_START.has(end.exitCode)) return { ending: 'unable', message, retryable: false };
  return { ending: end.exitCode > 128 ? 'crashed' : 'gave_up', message, retryable: false };
}
