interface Point {
  rate: number;
  cost: number;
}

/** Returns for each point whether it is on the Pareto front: no other is at least as good in both, and better in one. */
export const paretoFront = (points: readonly Point[]): boolean[] =>
  points.map((one) => !points.some((other) => dominates(other, one)));

const dominates = (one: Point, other: Point): boolean =>
  one.rate >= other.rate && one.cost <= other.cost && (one.rate > other.rate || one.cost < other.cost);
