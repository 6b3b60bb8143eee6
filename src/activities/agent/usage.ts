import type { StreamParser } from '../../agents/agent.js';
import { createPricer } from '../../results/cost.js';
import { createUsageMeter, type UsageMeter } from '../../results/usage-meter.js';
import { eventsOf, type AgentOutput } from './outputs.js';
import type { RunContext } from '../step/run-context.js';

/** Counts tokens and money of a run's starts. */
export interface RunUsage {
  meter: UsageMeter;
  /** Has read the last of the starts, whose session may go on. */
  parser: StreamParser;
}

/** What the starts of an agent have cost: lost ones were paid for too. */
export async function usageOf(context: RunContext, outputs: readonly AgentOutput[]): Promise<RunUsage> {
  const { agent, run, prices } = context;
  const meter = createUsageMeter(run.cell.model, await createPricer(prices));
  let parser = agent.parser();
  for (const [index, output] of outputs.entries()) {
    if (index > 0 && !output.resumed) {
      for (const event of parser.end()) meter.add(event);
      parser = agent.parser();
    }
    for await (const event of eventsOf(parser, output)) meter.add(event);
  }
  return { meter, parser };
}
