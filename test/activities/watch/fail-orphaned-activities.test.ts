import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createLostSteps, type PendingStep } from '../../../src/activities/watch/fail-orphaned-activities.js';

const worker = fc.constantFrom('own', 'dead', 'elsewhere');
const step = fc.record({
  runId: fc.constantFrom('a', 'b'),
  activityId: fc.constantFrom('1', '2'),
  attempt: fc.integer({ min: 1, max: 2 }),
  worker,
  performed: fc.boolean(),
});
type Step = PendingStep & { performed: boolean };
const keyOf = ({ runId, activityId, attempt }: PendingStep): string => `${runId}/${activityId}/${attempt}`;
const look = fc.uniqueArray(step, { selector: keyOf });

/** The steps that each of these looks finds to be lost. */
function lostIn(looks: Step[][]): PendingStep[][] {
  const performed = new Set<string>();
  const lost = createLostSteps({
    own: 'own',
    isDead: (identity) => identity === 'dead',
    isUnderWay: (key) => performed.has(key),
  });
  return looks.map((steps) => {
    performed.clear();
    for (const one of steps) if (one.performed) performed.add(keyOf(one));
    return lost(steps);
  });
}

it('a step of a dead worker is lost at once, and a step of a worker elsewhere never is', () => {
  fc.assert(
    fc.property(fc.array(look), (looks) => {
      for (const [index, lost] of lostIn(looks).entries()) {
        const dead = (looks[index] ?? []).filter((one) => one.worker === 'dead');
        expect(lost.filter((one) => one.worker === 'dead')).toEqual(dead);
        expect(lost.some((one) => one.worker === 'elsewhere')).toBe(false);
      }
    }),
  );
});

it('a step of this worker is lost when it does not perform the same attempt at two looks', () => {
  fc.assert(
    fc.property(fc.array(look), (looks) => {
      const idle = (steps: Step[]): Set<string> =>
        new Set(steps.filter((one) => one.worker === 'own' && !one.performed).map(keyOf));
      for (const [index, lost] of lostIn(looks).entries()) {
        const before = looks.slice(0, index).map(idle);
        for (const one of lost.filter(({ worker }) => worker === 'own')) {
          expect(idle(looks[index] ?? []).has(keyOf(one))).toBe(true);
          expect(before.some((keys) => keys.has(keyOf(one)))).toBe(true);
        }
      }
    }),
  );
  const [first, second] = lostIn([
    [{ runId: 'a', activityId: '1', attempt: 1, worker: 'own', performed: false }],
    [{ runId: 'a', activityId: '1', attempt: 1, worker: 'own', performed: false }],
  ]);
  expect([first?.length, second?.length]).toEqual([0, 1]);
});
