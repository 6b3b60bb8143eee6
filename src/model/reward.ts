import { isJsonObject } from '#lib';
import type { GateDetail } from './records/result-line.js';

/** Gates whose details have rewards. `scorer` is a score of Inspect. `step_rewards` sums up verifiers: it is last. */
const OF_REWARDS = ['verifier', 'scorer', 'step_rewards'];

/** The reward that decides: the one named so, or the least of all. */
export const decisiveReward = (rewards: Readonly<Record<string, number>>): number =>
  Object.hasOwn(rewards, 'reward') ? (rewards['reward'] ?? 0) : Math.min(...Object.values(rewards));

/** True if rewards can be compared by `run --until-clear`, which knows no others. */
export const isBounded = (reward: number): boolean => reward >= 0 && reward <= 1;

/** True if a gate gives rewards. */
export const givesReward = (type: string): boolean => OF_REWARDS.includes(type);

/** The reward of a run: that of its last gate about rewards; null if there is none. */
export function rewardOf(metrics: { details: readonly GateDetail[]; reward?: number } | null): number | null {
  if (metrics?.reward !== undefined) return metrics.reward;
  const last = metrics?.details.findLast(({ gate_type }) => givesReward(gate_type));
  const rewards = isJsonObject(last?.detail) ? last.detail['rewards'] : undefined;
  if (!isJsonObject(rewards)) return null;
  const numbers = Object.entries(rewards).flatMap(([key, value]) =>
    typeof value === 'number' ? [[key, value] as const] : [],
  );
  return numbers.length === 0 ? null : decisiveReward(Object.fromEntries(numbers));
}
