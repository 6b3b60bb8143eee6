import fc from 'fast-check';
import { expect, it } from 'vitest';
import { actionFor, isOpen, type WorkflowAnswer } from '../../../src/activities/watch/action-for.js';

const id = fc.constantFrom('first', 'other');
const found = fc.record({
  kind: fc.constant('found' as const),
  running: fc.boolean(),
  firstRunId: fc.option(id),
});
const answer: fc.Arbitrary<WorkflowAnswer> = fc.oneof(
  found,
  fc.constant<WorkflowAnswer>({ kind: 'missing' }),
  fc.constant<WorkflowAnswer>({ kind: 'unclear' }),
);

const action = (run: WorkflowAnswer, sweep: WorkflowAnswer, firstRunId: string | undefined): string =>
  actionFor({ run: isOpen(run, firstRunId), sweep: isOpen(sweep, undefined) });

it('leaves a run alone until the server says that it has ended', () => {
  fc.assert(
    fc.property(answer, answer, fc.option(id, { nil: undefined }), (run, sweep, firstRunId) => {
      const gone =
        run.kind === 'missing' ||
        (run.kind === 'found' &&
          (!run.running || (firstRunId !== undefined && run.firstRunId !== null && run.firstRunId !== firstRunId)));
      expect(action(run, sweep, firstRunId) === 'end').toBe(gone);
    }),
  );
});

it('cancels a run exactly when it is open and its sweep is not', () => {
  fc.assert(
    fc.property(answer, answer, (run, sweep) => {
      const goesOn = run.kind === 'found' && run.running;
      const without = sweep.kind === 'missing' || (sweep.kind === 'found' && !sweep.running);
      expect(action(run, sweep, undefined) === 'cancel').toBe(goesOn && without);
    }),
  );
});

it('takes an execution after a reset for the same run, but not another workflow with the same id', () => {
  const running = (firstRunId: string): WorkflowAnswer => ({ kind: 'found', running: true, firstRunId });
  expect(isOpen(running('first'), 'first')).toBe(true);
  expect(isOpen(running('other'), 'first')).toBe(false);
});
