import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { linesOf } from '../../platform/fs/lines.js';
import type { AgentOutput } from './outputs.js';
import { usageOf } from './usage.js';
import type { RunContext } from '../step/run-context.js';

const INTERVAL_MS = 1000;

/**
 * Reads the agent's output while it works, until its cost exceeds `cost.max_usd` (then calls `stop`) or `over` settles.
 * Counts `earlier` starts as well. `resumed`: the agent continues the session of the last of them. An agent that
 * reports neither tokens nor money cannot be stopped this way.
 */
export async function watchCost(
  context: RunContext,
  { earlier, resumed }: { earlier: AgentOutput[]; resumed: boolean },
  stdout: string,
  over: Promise<unknown>,
  stop: () => Promise<unknown>,
): Promise<void> {
  const { max_usd: maxUsd } = context.scenario.cost;
  if (maxUsd === undefined) return;
  const state = { over: false };
  const setOver = (): void => void (state.over = true);
  const end = over.then(setOver, setOver);
  const { meter, parser: before } = await usageOf(context, earlier);
  const parser = resumed ? before : context.agent.parser();
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
