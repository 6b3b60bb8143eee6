import { type Agent, createEndTracker, type StreamParser } from '#agents';
import {
  createPricer,
  createUsageMeter,
  type EventBody,
  type OutputProblems,
  recordedUsage,
  type UsageMeter,
} from '#model';
import { type AgentOutput, continuesSession, eventsOf } from './outputs.js';
import type { RunIdentity, RunSecrets } from '../run/context.js';

/** Counts tokens and money of a run's starts. */
export interface RunUsage {
  meter: UsageMeter;
  /** The parser that has read the last start; its session may continue. */
  parser: StreamParser;
  /** True if the meter has counted everything that these starts used, unless the session of the last one continues. */
  complete: boolean;
}

/**
 * Exit codes that shells report for SIGHUP, SIGINT, SIGKILL and SIGTERM. Some agents exit with other codes over 128 by
 * themselves.
 */
const KILLED = new Set([129, 130, 137, 143]);

/**
 * True if an agent was stopped from outside, perhaps during a request: that is paid for, but its usage was never
 * reported.
 */
export const wasInterrupted = ({ exitCode, stopped }: Pick<AgentOutput, 'exitCode' | 'stopped'>): boolean =>
  stopped !== null || exitCode === null || KILLED.has(exitCode);

/**
 * Usage of a single start with its own session, and the invalid lines of its output. `look` is called with each event.
 */
export async function usageOfStart(
  agent: Agent,
  output: AgentOutput,
  meter: UsageMeter,
  look: (event: EventBody) => void = () => undefined,
): Promise<{ usage: ReturnType<typeof recordedUsage>; problems: OutputProblems | null }> {
  const parser = agent.parser();
  const end = createEndTracker();
  const add = (event: EventBody): void => {
    meter.add(event);
    end.add(event);
    look(event);
  };
  for await (const event of eventsOf(parser, output)) add(event);
  for (const event of parser.end()) add(event);
  const ended = !wasInterrupted(output) || end.read().result !== null;
  return {
    usage: recordedUsage(meter.read(), ended && !parser.usagePending()),
    problems: parser.problems?.() ?? null,
  };
}

/** Usage of all starts of an agent, including lost ones, which were paid for too. */
export async function usageOf(context: RunIdentity & RunSecrets, outputs: readonly AgentOutput[]): Promise<RunUsage> {
  const { agent, run, plan } = context;
  const meter = createUsageMeter(run.cell.model, await createPricer(plan.prices), agent);
  let parser = agent.parser();
  let complete = true;
  for (const [index, output] of outputs.entries()) {
    if (index > 0 && !continuesSession(agent, output)) {
      for (const event of parser.end()) meter.add(event);
      complete &&= !parser.usagePending();
      parser = agent.parser();
    }
    parser.begin?.(output.start);
    const end = createEndTracker();
    for await (const event of eventsOf(parser, output)) {
      meter.add(event);
      end.add(event);
    }
    complete &&= !wasInterrupted(output) || end.read().result !== null;
  }
  return { meter, parser, complete: complete && !parser.usagePending() };
}
