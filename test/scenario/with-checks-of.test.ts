import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toScenario } from '../../src/scenario/eliza/to-scenario.js';
import { ElizaFile } from '../../src/scenario/eliza/schema.js';
import type { EffectiveScenario } from '../../src/scenario/plan.js';
import { agentInputs } from '../../src/scenario/agent-inputs.js';
import { withChecksOf, withoutFlags } from '../../src/scenario/with-checks-of.js';

type Planned = Omit<EffectiveScenario, 'fixture'>;

const gate = fc.record({
  type: fc.constant('string_contains'),
  value: fc.string({ minLength: 1, maxLength: 3 }).map((text) => `x${text}`),
});
const gates = fc.array(gate, { maxLength: 2 });
const rate = fc.double({ min: 0, max: 1, noNaN: true });

/** The checks of a scenario with an input, a conversation and a command. */
const checks = fc.record({ ofInput: gates, ofTurn: gates, atEnd: gates, ofCommand: gates, threshold: rate });
/** The inputs of its agent. */
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
    schema_version: 2,
    target: null,
    target_path: null,
    judge: null,
    asked: { model: 'a/b' },
    scenario: toScenario(ElizaFile.parse(written)),
  };
}

test('a scenario with the checks of another differs from that one only in what its agent is given', () => {
  fc.assert(
    fc.property(work, checks, checks, (one, some, more) => {
      expect(withChecksOf(planned(one, some), planned(one, more))).toEqual(planned(one, more));
    }),
  );
});

test('a scenario without flags has neither a build of the target nor a time limit of the agent', () => {
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
  const inputs = (one: Planned) => agentInputs({ ...one, fixture: 'f' }, 'mock');
  expect(inputs(withoutFlags(flagged))).toEqual(inputs(withoutFlags(base)));
  expect(inputs(flagged)).not.toEqual(inputs(base));
});
