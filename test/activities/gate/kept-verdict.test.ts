import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checksLastState } from '../../../src/activities/gate/kept-verdict.js';
import type { Step } from '../../../src/scenario/scenario.js';

const command: Step = { kind: 'command', command: 'true', timeout_secs: 1 };

test('only gates after the last step, and after its last turn, check the workspace that was kept', () => {
  const turnsOfStep = fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(turnsOfStep, fc.nat(), fc.nat(), (counts, at, nth) => {
      const steps = counts.map(() => command);
      let next = 1;
      const turns = counts.map((count) => Array.from({ length: count }, () => next++));
      const after = at % counts.length;
      const numbers = turns[after] ?? [];
      const turn = numbers.length === 0 ? undefined : numbers[nth % numbers.length];
      const isLastStep = after === counts.length - 1;
      expect(checksLastState({ steps }, { after }, { turns })).toBe(isLastStep);
      expect(checksLastState({ steps }, { after }, { turns }, turn)).toBe(
        isLastStep && (turn === undefined || turn === next - 1),
      );
      expect(checksLastState({ steps }, { after: null }, { turns })).toBe(true);
    }),
  );
});
