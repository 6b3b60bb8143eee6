import { betweenText, points } from '#lib';
import type { JudgeDrift } from './document.js';

/** After so many days, the judge may have changed again. */
const MOST_DAYS = 14;

/** Says in a sentence whether the judge has moved between two sweeps: "judge: moved by -25 points between the sweeps: ...". */
export function driftText(drift: JudgeDrift): string {
  const { state, differs, left_out: leftOut, days, explains, judged, moved } = drift;
  const finding = {
    'not checked':
      differs.length > 0
        ? 'not the same, and not checked'
        : judged === 0
          ? 'not checked: base keeps no answers that could be judged again'
          : `not checked: none of the ${judged} runs of base that it judged was judged again`,
    same: `no movement shown: ${countsOf(drift)}`,
    moved: `moved by ${points(moved ?? 0)} points between the sweeps: ${countsOf(drift)}`,
  }[state];
  return [
    `judge: ${finding}`,
    ...differs,
    ...(leftOut === 0 ? [] : [`${leftOut} left out, of which another check has another verdict, too`]),
    ...((days ?? 0) < MOST_DAYS ? [] : [`${days} days away from head, in which it may have changed again`]),
    ...(explains ? ['it could be the reason'] : []),
  ].join('; ');
}

const countsOf = ({ again, judged, to_fail: toFail, to_pass: toPass, interval }: JudgeDrift): string =>
  `${again} of ${Math.max(again, judged)} runs of base judged again, ${again - toFail - toPass} with the same outcome, ${toFail} now fail, ${toPass} now pass (between ${betweenText(interval?.low ?? 0, interval?.high ?? 0)} points)`;

/** Says what the change is without the movement of the judge, where that is known and matters. */
export const withoutDriftText = ({ state, differs, without }: JudgeDrift): string[] =>
  without === null || (state !== 'moved' && differs.length === 0)
    ? []
    : [
        `by the judge of head alone, the pass rate changed by ${points(without.difference)} points (between ${betweenText(without.interval.low, without.interval.high)})`,
      ];
