import type { Count } from './counts.js';
import { logChoose } from './log-factorial.js';

/**
 * Returns the unbiased estimate of the probability that at least one of k runs passes; null with fewer than k runs.
 * M. Chen et al., "Evaluating large language models trained on code", arXiv:2107.03374 (2021), section 2.1.
 */
export function passAtK({ passed, tested }: Count, k: number): number | null {
  const none = passHatK({ passed: tested - passed, tested }, k);
  return none === null ? null : 1 - none;
}

/**
 * Returns the unbiased estimate of the probability that all of k runs pass; null with fewer than k runs. S. Yao et al.,
 * "tau-bench: a benchmark for tool-agent-user interaction in real-world domains", arXiv:2406.12045 (2024), section 3.
 */
export function passHatK({ passed, tested }: Count, k: number): number | null {
  if (k < 1 || k > tested) return null;
  return passed < k ? 0 : Math.exp(logChoose(passed, k) - logChoose(tested, k));
}
