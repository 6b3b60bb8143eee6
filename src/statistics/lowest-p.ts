import { isStratumTested, rate, sum, type Stratum } from './counts.js';
import { directionOf } from './direction.js';
import { pointsOf, type Ends } from './highest-p.js';
import { varianceAt } from './miettinen-nurminen.js';
import { normalTail } from './normal.js';
import { exactP, isApproximate, possiblePasses } from './test-difference.js';

/**
 * Returns a p of several configurations together that is no higher than that of any end of their hidden runs at which
 * head is worse; 1 if it is at none. The exact test has its lowest p at the worst end. The score test may have it at
 * another one, where the variance is smaller. If an end might be judged by the score test alone, only that counts.
 */
export function lowestP(all: readonly Ends[]): number {
  const ends = all.filter(({ worst }) => isStratumTested(worst));
  const worst = ends.map((one) => one.worst);
  if (directionOf(worst) !== 'worse') return 1;
  const points = ends.map(pointsOf);
  return Math.max(2 * normalTail(highestScore(points)), isEverApproximate(points) ? 0 : exactP(worst));
}

/** Returns whether the normal approximation may be good enough at an end. */
function isEverApproximate(points: readonly (readonly Stratum[])[]): boolean {
  const most = (room: (of: ReturnType<typeof possiblePasses>) => number): number =>
    sum(points, (some) => Math.max(...some.map((stratum) => room(possiblePasses([stratum])))));
  const below = most(({ expected, fewest }) => expected - fewest);
  return isApproximate({ expected: below, fewest: 0, most: below + most((of) => of.most - of.expected) });
}

/**
 * Returns the highest score of a loss D / √V at any end. It is that of an end at which D - fV is highest for some f,
 * because √V is the smallest of f V / 2 + 1 / (2 f) over all f. As f grows, one configuration after the other moves to
 * a smaller variance.
 */
function highestScore(points: readonly (readonly Stratum[])[]): number {
  const paths = points.map((some) =>
    movesOf(
      some.map((stratum) => ({ loss: rate(stratum.base) - rate(stratum.head), variance: varianceAt(stratum, 0) })),
    ),
  );
  let [loss, variance] = [sum(paths, ({ start }) => start.loss), sum(paths, ({ start }) => start.variance)];
  const scoreNow = (): number => (loss <= 0 ? 0 : variance > 0 ? loss / Math.sqrt(variance) : Infinity);
  let highest = scoreNow();
  for (const move of paths.flatMap(({ moves }) => moves).sort((a, b) => a.factor - b.factor)) {
    loss -= move.loss;
    variance -= move.variance;
    highest = Math.max(highest, scoreNow());
  }
  return highest;
}

interface Point {
  loss: number;
  variance: number;
}

/** The point with the largest loss, and by how much its loss and variance become smaller from a factor on. */
function movesOf(points: readonly Point[]): { start: Point; moves: (Point & { factor: number })[] } {
  const start = points.reduce((a, b) => (b.loss > a.loss || (b.loss === a.loss && b.variance < a.variance) ? b : a));
  const moves: (Point & { factor: number })[] = [];
  for (let at: Point | undefined = start; at !== undefined;) {
    const from: Point = at;
    const factorTo = (to: Point): number => (from.loss - to.loss) / (from.variance - to.variance);
    at = points
      .filter(({ variance }) => variance < from.variance)
      .reduce<Point | undefined>((a, b) => (a === undefined || factorTo(b) < factorTo(a) ? b : a), undefined);
    if (at !== undefined)
      moves.push({ loss: from.loss - at.loss, variance: from.variance - at.variance, factor: factorTo(at) });
  }
  return { start, moves };
}
