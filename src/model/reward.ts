import { isJsonObject } from '#lib';
import type { Metrics } from './records/result-line.js';

/** The gates whose details have rewards. `step_rewards` sums up verifiers, so it comes last. */
const OF_REWARDS = ['verifier', 'step_rewards'];

/** The reward that decides: the one named so, or the least of all. */
export const decisiveReward = (rewards: Readonly<Record<string, number>>): number =>
  Object.hasOwn(rewards, 'reward') ? (rewards['reward'] ?? 0) : Math.min(...Object.values(rewards));

/** The reward of a run: that of its last gate about rewards; null if there is none. */
export function rewardOf(metrics: Pick<Metrics, 'details'> | null): number | null {
  const last = metrics?.details.findLast(({ gate_type }) => OF_REWARDS.includes(gate_type));
  const rewards = isJsonObject(last?.detail) ? last.detail['rewards'] : undefined;
  if (!isJsonObject(rewards)) return null;
  const numbers = Object.entries(rewards).flatMap(([key, value]) =>
    typeof value === 'number' ? [[key, value] as const] : [],
  );
  return numbers.length === 0 ? null : decisiveReward(Object.fromEntries(numbers));
}
