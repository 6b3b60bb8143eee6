import type { Verdict } from './gate.js';
import { broken, fail, pass } from './verdicts.js';

/** Inclusive bounds of a number. A bound that is left out allows any number. */
export interface Bounds {
  min?: number | undefined;
  max?: number | undefined;
}

/**
 * Compares a number with its bounds. If it is not fully known, `known` is its lower bound, and at most `unknown` is
 * missing from it.
 */
export function comparedWith(
  { min = 0, max = Infinity }: Bounds,
  known: number,
  unknown = 0,
): 'below' | 'within' | 'above' | 'undecided' {
  if (known > max) return 'above';
  if (known + unknown < min) return 'below';
  return known >= min && known + unknown <= max ? 'within' : 'undecided';
}

/** The verdict on a number with these bounds. The message is `undecided` if what is unknown of the number decides. */
export function judgeNumber(
  bounds: Bounds,
  { known, unknown }: { known: number; unknown: number },
  message: string,
  undecided: string,
): Verdict {
  const compared = comparedWith(bounds, known, unknown);
  if (compared === 'undecided') return broken(undecided);
  return compared === 'within' ? pass(message) : fail(message);
}

/** "at least 2 and at most 5 tools" */
export function describeBounds({ min, max }: Bounds, unit = ''): string {
  const words = [...(min === undefined ? [] : [`at least ${min}`]), ...(max === undefined ? [] : [`at most ${max}`])];
  return `${words.join(' and ')}${unit}`;
}

/** Returns why the upper bound makes no sense: with it, any number or none is within the bounds. Null if it does. */
export function boundsProblem({ min, max }: Bounds, nameOfMin: string): string | null {
  if (max === undefined)
    return min === 0 ? `missing: expected a number, since ${nameOfMin}: 0 alone always passes` : null;
  return min !== undefined && max < min ? `expected a number of at least ${nameOfMin} (${min})` : null;
}
