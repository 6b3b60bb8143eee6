import fc from 'fast-check';
import { expect, it } from 'vitest';
import { actionFor, isOpen, type Answer } from '../../../src/activities/watch/action-for.js';

const id = fc.constantFrom('first', 'other');
const found = fc.record({
  kind: fc.constant('found' as const),
  running: fc.boolean(),
  firstRunId: fc.option(id),
});
const answer: fc.Arbitrary<Answer> = fc.oneof(
  found,
  fc.constant<Answer>({ kind: 'missing' }),
  fc.constant<Answer>({ kind: 'unclear' }),
);

const action = (run: Answer, sweep: Answer, firstRunId: string | undefined): string =>
  actionFor({ run: isOpen(run, firstRunId), sweep: isOpen(sweep, undefined) });

it('a run is left alone for as long as the server does not say that it has ended', () => {
  fc.assert(
    fc.property(answer, answer, fc.option(id, { nil: undefined }), (run, sweep, firstRunId) => {
      const gone =
        run.kind === 'missing' ||
        (run.kind === 'found' &&
          (!run.running ||
            (firstRunId !== undefined && run.firstRunId !== null && run.firstRunId !== firstRunId)));
      expect(action(run, sweep, firstRunId) === 'end').toBe(gone);
    }),
  );
});

it('a run is cancelled where it goes on and its sweep does not, and in no other case', () => {
  fc.assert(
    fc.property(answer, answer, (run, sweep) => {
      const goesOn = run.kind === 'found' && run.running;
      const without = sweep.kind === 'missing' || (sweep.kind === 'found' && !sweep.running);
      expect(action(run, sweep, undefined) === 'cancel').toBe(goesOn && without);
    }),
  );
});

it('an execution after a reset is the same run, another workflow of that name is not', () => {
  const running = (firstRunId: string): Answer => ({ kind: 'found', running: true, firstRunId });
  expect(isOpen(running('first'), 'first')).toBe(true);
  expect(isOpen(running('other'), 'first')).toBe(false);
});
