import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { linesOf } from '../platform/lines.js';
import { createPricer } from '../results/cost.js';
import { createUsageMeter } from '../results/usage-meter.js';
import type { RunContext } from './run-context.js';

const INTERVAL_MS = 500;

/**
 * Reads along with what an agent writes until its cost passes `cost.max_usd`, then calls `stop`, or until `over`
 * resolves. An agent that says nothing of tokens or money cannot be stopped so.
 */
export async function watchCost(
  { agent, run, scenario, prices }: RunContext,
  stdout: string,
  over: Promise<unknown>,
  stop: () => Promise<unknown>,
): Promise<void> {
  const { max_usd: maxUsd } = scenario.cost;
  if (maxUsd === undefined) return;
  const state = { over: false };
  const setOver = (): void => void (state.over = true);
  const end = over.then(setOver, setOver);
  const parser = agent.parser();
  const meter = createUsageMeter(run.cell.model, await createPricer(prices));
  let offset = 0;
  while (!state.over) {
    for (const { text, end: at, whole } of existsSync(stdout) ? linesOf(stdout, undefined, offset) : []) {
      if (!whole) break;
      offset = at;
      for (const event of parser.line(text)) meter.add(event);
    }
    if ((meter.read().costUsd ?? 0) > maxUsd) {
      await stop();
      return;
    }
    await Promise.race([end, sleep(INTERVAL_MS)]);
  }
}
