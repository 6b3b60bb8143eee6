import type { RunRecord } from '#model';
import { isFailedItem, type Item } from './conversation.js';

/** Something that took time in a run, in shares of the whole line of time. */
export interface Span {
  label: string;
  from: number;
  length: number;
  ms: number;
  /** The event that it begins with; null: it is a step, which has none. */
  seq: number | null;
  hasFailed: boolean;
  /** The number of things that are drawn as one, because they would be too close. */
  count: number;
}

export interface Timeline {
  totalMs: number;
  lanes: { name: 'Steps' | 'Turns' | 'Calls'; spans: Span[] }[];
}

interface Interval extends Pick<Span, 'label' | 'seq' | 'hasFailed'> {
  begin: number;
  end: number;
}

/**
 * Places the steps of a run, the turns of its agent and its calls on one line of time. A run that goes on has no
 * steps.
 */
export function timelineOf(steps: RunRecord['steps'], items: readonly Item[]): Timeline {
  const lanes = [
    { name: 'Steps' as const, intervals: stepsOf(steps) },
    { name: 'Turns' as const, intervals: turnsOf(items) },
    { name: 'Calls' as const, intervals: items.flatMap((item) => callOf(item) ?? []) },
  ]
    // Times are foreign text, which may be none.
    .map(({ name, intervals }) => ({
      name,
      intervals: intervals.filter((one) => Number.isFinite(one.end - one.begin)),
    }))
    .filter(({ intervals }) => intervals.length > 0);
  let [begin, end] = [Infinity, -Infinity];
  for (const { intervals } of lanes)
    for (const one of intervals) {
      begin = Math.min(begin, one.begin);
      end = Math.max(end, one.end);
    }
  const totalMs = Math.max(1, end - begin);
  return {
    totalMs,
    lanes: lanes.map(({ name, intervals }) => ({
      name,
      spans: intervals.map(({ begin: from, end: to, ...rest }) => ({
        ...rest,
        from: (from - begin) / totalMs,
        length: (to - from) / totalMs,
        ms: to - from,
        count: 1,
      })),
    })),
  };
}

const stepsOf = (steps: RunRecord['steps']): Interval[] =>
  steps.flatMap(({ name, status, duration_ms: ms, ended_at: ended }) => {
    if (ms === null || ended === undefined) return [];
    const end = Date.parse(ended);
    return [{ label: name, seq: null, hasFailed: status === 'failed', begin: end - ms, end }];
  });

const beginOf = ({ event }: Item): number => Date.parse(event.ts);

/** When an item ended: a call with its result. */
function endOf(item: Item): number {
  if (item.kind !== 'call') return beginOf(item);
  return Math.max(
    beginOf(item),
    ...[item.result, item.mcp].flatMap((event) => (event === null ? [] : Date.parse(event.ts))),
  );
}

function labelOf(item: Item): string {
  switch (item.kind) {
    case 'message':
    case 'thought':
      return item.event.text;
    case 'call':
      return item.command ?? item.event.name;
    case 'mcp':
      return `${item.event.server} ${item.event.tool}`;
    case 'extension':
    case 'tools':
    case 'problem':
    case 'script':
    case 'start':
    case 'error':
    case 'end':
      return item.kind;
  }
}

const LONGEST = 80;

const intervalOf = (item: Item): Interval => ({
  label: labelOf(item).slice(0, LONGEST),
  seq: item.event.seq,
  hasFailed: isFailedItem(item),
  begin: beginOf(item),
  end: endOf(item),
});

function callOf(item: Item): Interval | null {
  if (item.kind === 'call') return intervalOf(item);
  if (item.kind !== 'mcp') return null;
  // The proxy records a call when it has been answered.
  const call = intervalOf(item);
  return { ...call, begin: call.begin - (item.event.duration_ms ?? 0) };
}

const isOfAgent = (item: Item): boolean =>
  item.kind === 'call' ||
  item.kind === 'mcp' ||
  item.kind === 'thought' ||
  (item.kind === 'message' && item.event.role === 'assistant');

/**
 * A turn is what an agent says and does in one answer of its model. The next one begins after a result, a message of
 * the user, or a start.
 */
function turnsOf(items: readonly Item[]): Interval[] {
  const turns: Interval[] = [];
  let current: Interval | null = null;
  let resultBefore = Infinity;
  for (const item of items) {
    if (!isOfAgent(item)) {
      current = null;
      continue;
    }
    if (current === null || resultBefore < item.event.seq) {
      current = intervalOf(item);
      turns.push(current);
      resultBefore = Infinity;
    }
    current.end = Math.max(current.end, endOf(item));
    current.hasFailed ||= isFailedItem(item);
    const result =
      item.kind === 'call' ? (item.result?.seq ?? Infinity) : item.kind === 'mcp' ? item.event.seq : Infinity;
    resultBefore = Math.min(resultBefore, result);
  }
  return turns;
}

/** Draws as one what could not be told apart: spans in the same one of `places`, unless one of them has failed. */
export function mergeSpans(spans: readonly Span[], places: number): Span[] {
  const merged: Span[] = [];
  const placeOf = ({ from }: Span): number => Math.floor(from * places);
  for (const span of spans) {
    const last = merged.at(-1);
    const isClose = last !== undefined && placeOf(last) === placeOf(span) && last.hasFailed === span.hasFailed;
    if (isClose && last.length < 1 / places && span.length < 1 / places)
      merged[merged.length - 1] = {
        ...last,
        length: Math.max(last.length, span.from + span.length - last.from),
        ms: last.ms + span.ms,
        count: last.count + span.count,
      };
    else merged.push(span);
  }
  return merged;
}
