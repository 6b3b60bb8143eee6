import { createEndTracker, type StreamParser } from '#agents';
import { startFiles } from '#environments';
import { everySecond, sizeOf, tailLines, writtenAt } from '#host';
import { createYielder, defined } from '#lib';
import type { EventBody, UsageMeter } from '#model';
import type { AgentProgress } from '#protocol';
import { mcpServersOf } from '#subjects';
import type { Fence } from '../step/fence.js';
import { createLiveEvents } from './live-events.js';
import { mcpEventsSoFar } from './mcp-servers.js';
import type { AgentOutput } from './outputs.js';
import { userMessageOf } from './turns.js';
import { usageOf } from './usage.js';
import type { LoadedRun, RunIdentity, RunSecrets } from '../run/context.js';

/** Events are written in groups of this size, so that those of a large output need not be in memory at once. */
const GROUP = 200;

export interface WatchedStart {
  start: number;
  /** The starts before this one, whose costs count too. */
  earlier: AgentOutput[];
  /** True if the agent continues the session of the last of them. */
  resumed: boolean;
}

export interface Handlers {
  /** Its check fails once a later attempt watches the agent: then nothing more is recorded. */
  fence: Fence;
  /**
   * Called once the cost exceeds `cost.max_usd`, or once the agent has not exited for `exitMs` after its final result.
   */
  stop: (reason: 'cost' | 'result') => Promise<unknown>;
  exitMs: number;
  /** Called with what the agent is doing when it has shown something new. */
  onProgress: (progress: AgentProgress) => void;
}

/**
 * Reads the agent's output while it works, each byte once, until `over` settles: records its events for those who
 * follow the run, and stops an agent that costs too much, or that does not exit after its final result. An agent that
 * reports neither tokens nor money cannot be stopped for its cost. A failure to record is ignored, as the agent's work
 * does not depend on it.
 */
export async function watchOutput(
  context: LoadedRun,
  started: WatchedStart,
  over: Promise<unknown>,
  { fence, stop, exitMs, onProgress }: Handlers,
): Promise<void> {
  const { max_usd: maxUsd } = context.scenario.cost;
  const { stdout } = startFiles(context.handle, started.start);
  const record = bestEffort(recorder(context, started.start, { fence, onProgress }));
  const tail = tailLines(stdout);
  const yieldIfDue = createYielder();
  let reading: { parser: StreamParser; meter: UsageMeter | null } | null = null;
  let seen = 0;
  let stopped = false;
  const end = createEndTracker();

  const hasServers = mcpServersOf(context.subject).length > 0;
  let mcpEvents = 0;
  /** Records the calls of MCP servers, which proxies note in files of their own. */
  async function readCalls(): Promise<void> {
    if (!hasServers) return;
    const added = (await mcpEventsSoFar(context, started.start)).slice(mcpEvents);
    mcpEvents += added.length;
    if (added.length > 0) await record((to) => to.add(added.map(({ event }) => event)));
  }

  async function read(): Promise<void> {
    reading ??= await begin(context, started);
    const { parser, meter } = reading;
    try {
      for (const { text } of tail.lines()) {
        await yieldIfDue();
        const events = parser.line(text);
        for (const event of events) {
          meter?.add(event);
          end.add(event);
        }
        await record((to) => to.add(parser.readsText === true ? lineEvents(text) : events));
      }
    } finally {
      tail.close();
    }
    const usage = meter?.read();
    const costUsd = usage?.costUsd ?? usage?.costAtLeastUsd ?? null;
    if (!stopped && maxUsd !== undefined && (costUsd ?? 0) > maxUsd) {
      await stop('cost');
      stopped = true;
    }
    await readCalls();
    await record((to) => to.flush(costUsd));
  }

  const looking: { at: Promise<void> | null; failure: Error | null } = { at: null, failure: null };
  /** It has printed its result, and nothing for a while: it hangs, or waits for something that it has started. */
  const hangs = (): boolean =>
    !stopped &&
    (reading?.parser.isOver?.() ?? end.read().result !== null) &&
    Date.now() - (writtenAt(stdout) ?? Infinity) >= exitMs;
  const look = (): void => {
    if (looking.at !== null) return;
    const size = sizeOf(stdout);
    if (size <= seen && hangs()) {
      looking.at = stop('result')
        .then(
          () => void (stopped = true),
          () => undefined, // is tried again at the next look
        )
        .finally(() => (looking.at = null));
      return;
    }
    if (size <= seen && !hasServers) return;
    const work = size > seen ? read() : readCalls();
    seen = Math.max(seen, size);
    looking.at = work
      .catch((error: unknown) => {
        // Without the cost, the limit could not be kept.
        if (maxUsd !== undefined) looking.failure ??= error as Error;
      })
      .finally(() => (looking.at = null));
  };
  look();
  const stopLooking = everySecond(look);
  await over.catch(() => undefined);
  stopLooking();
  await looking.at;
  stopped = true;
  // The events of a short start will be in events.jsonl in a moment.
  if (seen > 0) look();
  await looking.at;
  if (looking.failure !== null) throw looking.failure;
}

/** Counts usage from the first output on, because most starts of a mock end before their output is first read. */
async function begin(
  context: RunIdentity & RunSecrets,
  { earlier, resumed }: WatchedStart,
): Promise<{ parser: StreamParser; meter: UsageMeter | null }> {
  try {
    const { meter, parser } = await usageOf(context, earlier);
    return { meter, parser: resumed ? parser : context.agent.parser() };
  } catch (error) {
    if (context.scenario.cost.max_usd !== undefined) throw error;
    return { meter: null, parser: context.agent.parser() };
  }
}

const lineEvents = (text: string): EventBody[] =>
  text.trim() === '' ? [] : [{ type: 'message', role: 'assistant', text }];

interface Recorder {
  add(events: readonly EventBody[]): Promise<void>;
  flush(costUsd: number | null): Promise<void>;
}

function recorder(
  context: LoadedRun,
  start: number,
  { fence, onProgress }: Pick<Handlers, 'fence' | 'onProgress'>,
): Recorder {
  const live = createLiveEvents(context, start);
  let events = 0;
  let waiting = 0;
  let begun = context.turn.number === 1;
  return {
    async add(added) {
      if (!begun) live.add({ type: 'message', role: 'user', text: await userMessageOf(context) });
      begun = true;
      for (const event of added) live.add(event);
      events += added.length;
      waiting += added.length;
      if (waiting < GROUP) return;
      waiting = 0;
      await fence.check();
      await live.flush();
    },
    async flush(costUsd) {
      waiting = 0;
      await fence.check();
      const doing = await live.flush();
      onProgress({ doing, events, ...defined({ costUsd }) });
    },
  };
}

/** Returns a function that uses the recorder until it fails for the first time. */
function bestEffort(to: Recorder): (use: (to: Recorder) => Promise<void>) => Promise<void> {
  let failed = false;
  return async (use) => {
    if (failed) return;
    await use(to).catch(() => (failed = true));
  };
}
