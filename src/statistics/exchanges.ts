import { mulberry32 } from '#lib';
import { sum } from './counts.js';

/** Values of a configuration's runs on both sides. */
export interface Group {
  base: readonly number[];
  head: readonly number[];
}

/** Each number is a sum over groups of shares of a mean, once for each way to exchange runs. */
export interface Exchanges {
  /** The values on the side of head after the exchange that came from head, and from base. */
  head: Record<keyof Group, Float64Array>;
  /** The same for the side of base. */
  base: Record<keyof Group, Float64Array>;
  /** The amount by which both means move if all values of base rise by one; 0: nothing was exchanged. */
  moved: Float64Array;
}

/**
 * Draws ways to exchange runs between the sides within each group, all equally likely; the first is to exchange none.
 * Each is followed by its mirror image, so that both directions are drawn alike. The same values give the same draws,
 * whatever their order and whichever side is called head.
 */
export function drawExchanges(groups: readonly Group[], draws: number): Exchanges {
  const column = (): Float64Array => new Float64Array(2 * draws);
  const all: Exchanges = {
    head: { base: column(), head: column() },
    base: { base: column(), head: column() },
    moved: column(),
  };
  const inOrder = groups.map(ordered);
  const random = randomNumbers(Float64Array.from(inOrder.flatMap(({ values }) => values)));
  for (const { few, many, fewer, others, values } of inOrder) {
    const sums = { few: sum(fewer, (value) => value), many: sum(others, (value) => value) };
    const order = Int32Array.from(values.keys());
    for (let draw = 0; draw < draws; draw++) {
      let [ofFew, ofMany, moved] = [0, 0, 0];
      for (let at = 0; at < fewer.length; at++) {
        if (draw > 0) exchange(order, at, at + ((random() * (order.length - at)) | 0));
        const index = order[at] ?? 0;
        if (index < fewer.length) ofFew += values[index] ?? 0;
        else {
          ofMany += values[index] ?? 0;
          moved += 1;
        }
      }
      add(2 * draw, ofFew, ofMany, moved);
      if (fewer.length < others.length) add(2 * draw + 1, ofFew, ofMany, moved);
      else add(2 * draw + 1, sums.few - ofFew, sums.many - ofMany, fewer.length - moved);
    }
    function add(at: number, ofFew: number, ofMany: number, moved: number): void {
      increase(all[few][few], at, ofFew / fewer.length);
      increase(all[few][many], at, ofMany / fewer.length);
      increase(all[many][few], at, (sums.few - ofFew) / others.length);
      increase(all[many][many], at, (sums.many - ofMany) / others.length);
      increase(all.moved, at, moved / fewer.length + moved / others.length);
    }
  }
  return all;
}

/**
 * The values of a group, the side that has fewer first: the same whatever the order of runs, and whichever side is
 * called head.
 */
function ordered({ base, head }: Group) {
  const sides = { base: [...base].sort(byValue), head: [...head].sort(byValue) };
  const [few, many] = comesFirst(sides.head, sides.base) ? (['head', 'base'] as const) : (['base', 'head'] as const);
  const [fewer, others] = [sides[few], sides[many]];
  return { few, many, fewer, others, values: [...fewer, ...others] };
}

const byValue = (a: number, b: number): number => a - b;

function comesFirst(a: readonly number[], b: readonly number[]): boolean {
  if (a.length !== b.length) return a.length < b.length;
  const at = a.findIndex((value, index) => value !== b[index]);
  return at !== -1 && (a[at] ?? 0) < (b[at] ?? 0);
}

function increase(numbers: Float64Array, at: number, by: number): void {
  numbers[at] = (numbers[at] ?? 0) + by;
}

function exchange(order: Int32Array, a: number, b: number): void {
  const kept = order[a] ?? 0;
  order[a] = order[b] ?? 0;
  order[b] = kept;
}

/**
 * Returns numbers from 0 to 1, the same for the same values, so that the same results have the same p, and others for
 * other values, because the same draws for all would not be a fair sample.
 */
const randomNumbers = (values: Float64Array): (() => number) =>
  mulberry32(new Uint32Array(values.buffer).reduce((mixed, part) => Math.imul(mixed ^ part, 0x9e3779b1) + 1, 1));
