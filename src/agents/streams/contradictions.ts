import type { StopReason } from '#lib';
import type { EventBody } from '#model';
import type { AgentEnd, StreamParser } from '../agent.js';

/** Determines from the events of an agent's start how it ended. */
interface EndTracker {
  add(event: EventBody): void;
  /** Returns the result, unless the agent went on after it, and the last error that it did not recover from. */
  read(): Pick<AgentEnd, 'result' | 'error'>;
}

const WORKS: ReadonlySet<EventBody['type']> = new Set(['message', 'reasoning', 'tool_call', 'tool_result']);

/** True if an event shows that the agent goes on. A message of the system may be about the error itself. */
const goesOn = (event: EventBody): boolean =>
  WORKS.has(event.type) && !(event.type === 'message' && event.role === 'system');

/** Creates a tracker for a new start. */
export function createEndTracker(): EndTracker {
  const end: ReturnType<EndTracker['read']> = { result: null, error: null };
  return {
    add(event) {
      // After another end, success is in doubt.
      if (event.type === 'result')
        end.result = event.ending === 'done' && (end.result?.ending ?? 'done') !== 'done' ? null : event;
      if (event.type === 'error') [end.result, end.error] = [null, event];
      if (goesOn(event)) [end.result, end.error] = [null, null];
    },
    read: () => end,
  };
}

/**
 * Something in an agent's output that cannot be true together with the end of it, so that parts of it may be missing.
 */
export interface Contradiction {
  message: string;
  /** The things of which the output may not show all. */
  unknown: readonly ('calls' | 'usage')[];
}

/** The end of the process that printed the output. */
interface Exit {
  /** Null: it is lost. */
  exitCode: number | null;
  stopped: StopReason | null;
}

/** Compares an agent's events with each other and with its end (the table is in specs/reference/evaluation.md). */
interface ContradictionFinder {
  /** Called before the first event of a start that continues the session. */
  begin(): void;
  add(event: EventBody): void;
  /** Returns what was found, if the last start ended like this. */
  end(exit: Exit): Contradiction[];
}

const ALL = ['calls', 'usage'] as const;

/** Creates a finder for one session of an agent, whose output this parser reads. */
export function createContradictionFinder({
  leavesCallsOpen,
  failsByAnyError,
}: Pick<StreamParser, 'leavesCallsOpen' | 'failsByAnyError'>): ContradictionFinder {
  const found = new Map<string, Contradiction>();
  const note = (message: string, unknown: Contradiction['unknown']): void =>
    void found.set(message, { message, unknown });
  const called = new Set<string>();
  /** Ids of calls without a result. */
  const open = new Set<string>();
  /** The last end, unless the agent went on after it. */
  let result: Extract<EventBody, { type: 'result' }> | null = null;
  let [hasEnded, hasFailed, isDisputed] = [false, false, false];
  /** US dollars that were reported since the session began. */
  let reportedUsd = 0;

  const answer = (id: string): void => {
    if (open.delete(id) || called.has(id)) return;
    // A result whose id matches no call belongs to the call before it.
    const last = [...open].at(-1);
    if (last !== undefined) open.delete(last);
    else note('it has the result of a call that it does not show', ['calls']);
  };
  const end = (event: Extract<EventBody, { type: 'result' }>): void => {
    if (event.ending === 'done' && open.size > 0 && leavesCallsOpen !== true)
      note('it reports success, although a call has no result', ['calls']);
    isDisputed ||= result !== null && result.ending !== event.ending;
    [result, hasEnded] = [event, true];
  };
  const addUsage = (event: Extract<EventBody, { type: 'usage' }>): void => {
    const { cost_usd: usd } = event;
    if (usd === null) return;
    // Sums of fractions are not exact.
    if (event.cost_of_start === true && usd < reportedUsd * (1 - 1e-9))
      note('its cost as a whole is less than its parts', ['usage']);
    reportedUsd = event.cost_of_start === true ? Math.max(usd, reportedUsd) : reportedUsd + usd;
  };

  return {
    begin() {
      open.clear();
      [result, hasEnded, hasFailed, isDisputed] = [null, false, false, false];
    },
    add(event) {
      if (goesOn(event)) [result, isDisputed] = [null, false];
      if (event.type === 'session') reportedUsd = 0;
      else if (event.type === 'tool_call') {
        called.add(event.id);
        if (event.executed !== false) open.add(event.id);
      } else if (event.type === 'tool_result') answer(event.id);
      else if (event.type === 'result') end(event);
      else if (event.type === 'error') {
        hasFailed = true;
        isDisputed ||= result?.ending === 'done';
      } else if (event.type === 'usage') addUsage(event);
    },
    end({ exitCode, stopped }) {
      if (isDisputed) note('it reports two different ends', ALL);
      const exited = stopped === null && exitCode !== null;
      if (exited && exitCode === 0 && hasEnded && result === null)
        note('it goes on after its end, and reports no other', ALL);
      const isExplained = exitCode === 1 && failsByAnyError === true && hasFailed;
      if (exited && exitCode !== 0 && !isExplained && result?.ending === 'done')
        note(`it reports success, but its exit status is ${exitCode}`, ALL);
      return [...found.values()];
    },
  };
}
