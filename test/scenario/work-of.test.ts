import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toScenario } from '../../src/scenario/eliza/to-scenario.js';
import { ElizaFile } from '../../src/scenario/eliza/schema.js';
import type { EffectiveScenario } from '../../src/scenario/plan.js';
import { withChecksOf, workInFile, workOf } from '../../src/scenario/work-of.js';

type Planned = Omit<EffectiveScenario, 'fixture'>;

const gate = fc.record({
  type: fc.constant('string_contains'),
  value: fc.string({ minLength: 1, maxLength: 3 }).map((text) => `x${text}`),
});
const gates = fc.array(gate, { maxLength: 2 });
const rate = fc.double({ min: 0, max: 1, noNaN: true });

/** The checks of a scenario with an input, a conversation and a command. */
const checks = fc.record({ ofInput: gates, ofTurn: gates, atEnd: gates, ofCommand: gates, threshold: rate });
/** What its agent is given. */
const work = fc.record({
  input: fc.constantFrom('hello', 'good day'),
  code: fc.constantFrom('true', 'false'),
  file: fc.constantFrom('a', 'b'),
  turns: fc.integer({ min: 2, max: 4 }),
});
type Checks = typeof checks extends fc.Arbitrary<infer T> ? T : never;
type Work = typeof work extends fc.Arbitrary<infer T> ? T : never;

function planned({ input, code, file, turns }: Work, made: Checks): Planned {
  const written = {
    name: 'made',
    description: `with ${made.atEnd.length} gates`,
    setup: { virtual_fs: { 'notes.md': file } },
    run: [
      { input, evaluations: made.ofInput },
      {
        input: 'hi',
        conversation: {
          max_turns: turns,
          user_simulator: { persona: 'p', objective: 'o' },
          turn_evaluations: made.ofTurn,
          final_evaluations: made.atEnd,
        },
      },
      { lang: 'bash', code, evaluations: made.ofCommand },
    ],
    judgment: { strategy: made.threshold < 0.5 ? 'all_pass' : 'any_pass' },
  };
  return {
    ...{ schema_version: 2, target: null, target_path: null, judge: null, asked: { model: 'a/b' } },
    scenario: toScenario(ElizaFile.parse(written)),
  };
}

test('the work does not depend on the checks, and everything else belongs to it', () => {
  fc.assert(
    fc.property(work, work, checks, checks, (one, other, some, more) => {
      expect(workOf(planned(one, some))).toEqual(workOf(planned(one, more)));
      const isSame = JSON.stringify(one) === JSON.stringify(other);
      expect(
        JSON.stringify(workOf(planned(one, some))) === JSON.stringify(workOf(planned(other, some))),
      ).toBe(isSame);
    }),
  );
});

test('the work of one scenario with the checks of another has the work of the one and the checks of the other', () => {
  fc.assert(
    fc.property(work, checks, checks, (one, some, more) => {
      const merged = withChecksOf(planned(one, some), planned(one, more));
      expect(merged).toEqual(planned(one, more));
    }),
  );
});

test('the work in the file leaves out the build of the target and the time limit of the agent, which flags can set', () => {
  const made = { ofInput: [], ofTurn: [], atEnd: [], ofCommand: [], threshold: 0 };
  const base = planned({ input: 'hello', code: 'true', file: 'a', turns: 2 }, made);
  const flagged: Planned = {
    ...base,
    target_path: '/elsewhere',
    scenario: {
      ...base.scenario,
      steps: base.scenario.steps.map((step) => ({
        ...step,
        timeout_secs: step.kind === 'command' ? step.timeout_secs : 7,
      })),
    },
  };
  expect(workInFile(flagged)).toEqual(workInFile(base));
  expect(workOf(flagged)).not.toEqual(workOf(base));
});
