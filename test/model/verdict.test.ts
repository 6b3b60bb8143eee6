import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { GateDetail } from '../../src/model/records/result-line.js';
import { decideOutcome, type Check, type OutcomeDecision, type VerdictInput } from '../../src/model/verdict.js';
import { gate } from './sample.js';

const done = { ending: 'done', completed: true, message: 'agent completed' } as const;

type Judged = (Check & { kind: 'judge' })['result'];
/** The findings of a run, in a shorter form than `checks`. */
interface Run extends Omit<VerdictInput, 'checks'> {
  gates: readonly (GateDetail | null)[];
  /** undefined if no judgment was due. */
  judge?: Judged | undefined;
  /** The reason why the judge or another due step left nothing. */
  lacking?: string | undefined;
}
/** The properties of a scenario in the project's own form. */
const NATIVE = { rule: 'all_pass', needsAgent: true } as const;
const decide = (change: Partial<Run> = {}): OutcomeDecision => {
  const { gates, judge, lacking, ...rest }: Run = {
    ...NATIVE,
    cancelled: false,
    unfit: null,
    agent: done,
    gates: [gate(), gate()],
    ...change,
  };
  return decideOutcome({
    ...rest,
    checks: [
      ...gates.map((result, index): Check => ({ kind: 'gate', step: `gate ${index + 1}`, result, why: null })),
      ...(judge === undefined ? [] : [{ kind: 'judge', step: 'judge', result: judge, why: lacking ?? null } as const]),
      ...(lacking === undefined || judge !== undefined
        ? []
        : [{ kind: 'step', step: 'post 1', result: null, why: lacking } as const]),
    ],
  });
};
const failing = gate({
  gate_type: 'file_contains',
  name: 'notes.md',
  status: 'fail',
  message: 'has no "milk"',
});
const broken = gate({ gate_type: 'command_succeeds', status: 'error', message: 'sh is missing' });

describe('decideOutcome', () => {
  test('passes when every gate passed', () => {
    expect(decide()).toEqual({ outcome: 'pass', message: '2/2 gates passed' });
  });
  test('fails with the first failed gate and says how many more there are', () => {
    expect(decide({ gates: [gate(), failing, failing] })).toEqual({
      outcome: 'fail',
      message: '1/3 gates passed: file_contains notes.md: has no "milk" (and 1 more)',
    });
  });
  test('a broken gate makes the run an error, never a failure', () => {
    expect(decide({ gates: [gate(), broken] })).toEqual({
      outcome: 'error',
      message: '1/2 gates passed, 1 not checked: command_succeeds: sh is missing',
    });
  });
  test('an unchecked gate makes the run an error even if another gate failed, which the message mentions', () => {
    expect(decide({ gates: [broken, failing] })).toEqual({
      outcome: 'error',
      message:
        '0/2 gates passed, 1 not checked: command_succeeds: sh is missing; failed: file_contains notes.md: has no "milk"',
    });
  });
  test('a gate without a result is an error, and named in the message', () => {
    expect(decide({ gates: [gate(), null] })).toEqual({
      outcome: 'error',
      message: "1/2 gates passed, 1 not checked: step 'gate 2' left no result",
    });
    expect(decide({ gates: [null] }).outcome).toBe('error');
  });
  test('the gates decide about an agent that timed out, and the message says so', () => {
    const agent = { ending: 'timeout', completed: false, message: 'agent timed out after 300 s.' } as const;
    expect(decide({ agent })).toEqual({
      outcome: 'pass',
      message: 'agent timed out after 300 s; 2/2 gates passed',
    });
    expect(decide({ agent, gates: [failing] }).outcome).toBe('fail');
  });
  test('a judge score below the threshold makes the run fail, and the message always has the score', () => {
    const judge = { weighted_score: 0.52, pass_threshold: 0.7, passed: false };
    expect(decide({ judge })).toEqual({
      outcome: 'fail',
      message: '2/2 gates passed; judge 0.52 < 0.70',
    });
    expect(decide({ judge: { ...judge, weighted_score: 0.9, passed: true } })).toEqual({
      outcome: 'pass',
      message: '2/2 gates passed; judge 0.90',
    });
    const near = { weighted_score: 0.6996, pass_threshold: 0.7, passed: false };
    expect(decide({ judge: near }).message).toMatch(/judge 0\.6996 < 0\.7000$/);
  });
  test('a judge does not save a run with a failed gate, or a run without gates if its agent did not complete', () => {
    const judge = { weighted_score: 1, pass_threshold: 0.7, passed: true };
    expect(decide({ judge, gates: [failing] })).toMatchObject({
      outcome: 'fail',
      message: expect.stringMatching(/^0\/1 gates passed: .*; judge 1\.00$/) as string,
    });
    const agent = { ending: 'gave_up', completed: false, message: 'agent gave up' } as const;
    expect(decide({ judge, gates: [], agent }).outcome).toBe('fail');
  });
  test('a due judgment that is missing is an error even if a gate failed', () => {
    const lacking = 'could not be performed: HTTP 401';
    expect(decide({ judge: null, lacking })).toEqual({
      outcome: 'error',
      message: "step 'judge' could not be performed: HTTP 401",
    });
    expect(decide({ judge: null, lacking, gates: [failing] })).toEqual({
      outcome: 'error',
      message: `step 'judge' could not be performed: HTTP 401; failed: file_contains notes.md: has no "milk"`,
    });
    expect(decide({ judge: null })).toEqual({ outcome: 'error', message: "step 'judge' left no result" });
  });
  test('adds the word agent to a message of the agent that lacks it', () => {
    const agent = { ending: 'gave_up', completed: false, message: 'exit 3' } as const;
    expect(decide({ agent }).message).toBe('agent: exit 3; 2/2 gates passed');
  });
  test('an agent that could not work is an error', () => {
    const agent = { ending: 'unable', completed: false, message: 'the agent has no API key' } as const;
    expect(decide({ agent, gates: [] })).toEqual({
      outcome: 'error',
      message: 'the agent has no API key',
    });
  });
  test('an unfit workspace is an error without an agent', () => {
    const unfit = 'health check failed (exit 127): notes --version';
    expect(decide({ unfit, agent: null, gates: [] })).toEqual({
      outcome: 'error',
      message: unfit,
    });
  });
  test('a step that could not be performed is an error even if a gate failed', () => {
    const lacking = 'could not be performed: the disk is full';
    const message = "step 'post 1' could not be performed: the disk is full";
    expect(decide({ lacking })).toEqual({ outcome: 'error', message });
    expect(decide({ lacking, gates: [failing] })).toEqual({
      outcome: 'error',
      message: `${message}; failed: file_contains notes.md: has no "milk"`,
    });
  });
  test('a run without a started agent does not pass', () => {
    expect(decide({ agent: null, gates: [] }).outcome).toBe('error');
  });
  test('a run without gates says that there were none', () => {
    expect(decide({ gates: [] })).toEqual({ outcome: 'pass', message: 'no gates to pass' });
  });
  test('a cancelled run is cancelled no matter what else happened', () => {
    expect(decide({ cancelled: true, gates: [failing], lacking: 'x' }).outcome).toBe('cancelled');
    const agent = { ending: 'cancelled', completed: false, message: 'killed' } as const;
    expect(decide({ agent }).outcome).toBe('cancelled');
  });

  const anyText = fc.string({ unit: 'binary', maxLength: 2000, size: 'max' });
  const anyGate = fc
    .record({ status: fc.constantFrom('pass', 'fail', 'error'), message: anyText })
    .map((change) => gate(change));
  const anyJudgment = fc.record({
    weighted_score: fc.double({ min: 0, max: 1, noNaN: true }),
    pass_threshold: fc.double({ min: 0, max: 1, noNaN: true }),
    passed: fc.boolean(),
  });
  const wanted = <K extends Check['kind'], T>(kind: K, value: fc.Arbitrary<T>) =>
    fc.record({
      kind: fc.constant(kind),
      step: fc.constantFrom('gate 1', 'judge', 'post 2'),
      result: fc.option(value, { freq: 4 }),
      why: fc.option(anyText),
    });
  const anyChecks = fc
    .tuple(
      fc.array(wanted('step', fc.constant(true as const)), { maxLength: 3 }),
      fc.array(wanted('gate', anyGate), { maxLength: 4 }),
      fc.array(wanted('judge', anyJudgment), { maxLength: 1 }),
    )
    .map((lists): Check[] => lists.flat());
  const anyAgent = fc.record({
    ending: fc.constantFrom('done', 'gave_up', 'timeout', 'crashed', 'unable'),
    completed: fc.boolean(),
    message: fc.string(),
  });
  const anyInput = fc.record({
    cancelled: fc.boolean(),
    rule: fc.constant('all_pass' as const),
    needsAgent: fc.constant(true),
    unfit: fc.option(anyText),
    agent: fc.option(anyAgent, { freq: 8 }),
    checks: anyChecks,
  });
  /** The severity of a single check: the worst of all checks is the outcome. */
  const severity = ({ kind, result }: Check): number => {
    if (result === null) return 2;
    if (kind === 'gate') return ['pass', 'fail', 'error'].indexOf(result.status);
    return kind === 'judge' && !result.passed ? 1 : 0;
  };
  const OUTCOMES = ['pass', 'fail', 'error'] as const;
  const hasGates = (checks: readonly Check[]): boolean => checks.some(({ kind }) => kind === 'gate');

  test('the outcome of a tested run is the worst of all its checks', () => {
    fc.assert(
      fc.property(anyAgent, anyChecks, (agent, checks) => {
        fc.pre(agent.ending !== 'unable');
        const gaveUp = !hasGates(checks) && !agent.completed;
        const worst = Math.max(gaveUp ? 1 : 0, ...checks.map(severity));
        const { outcome } = decideOutcome({ ...NATIVE, cancelled: false, unfit: null, agent, checks });
        expect(outcome).toBe(OUTCOMES[worst]);
      }),
    );
  });
  test('passes only if an agent ran and every check exists and passed', () => {
    fc.assert(
      fc.property(anyInput, (any) => {
        const clean =
          !any.cancelled &&
          any.unfit === null &&
          any.agent !== null &&
          any.agent.ending !== 'unable' &&
          any.checks.every((check) => severity(check) === 0) &&
          (hasGates(any.checks) || any.agent.completed);
        expect(decideOutcome(any).outcome === 'pass').toBe(clean);
      }),
    );
  });
  test('any_pass: a tested run passes if one gate passed and nothing is missing', () => {
    fc.assert(
      fc.property(anyAgent, anyChecks, fc.boolean(), (agent, checks, needsAgent) => {
        fc.pre(agent.ending !== 'unable');
        const { outcome } = decideOutcome({
          rule: 'any_pass',
          cancelled: false,
          unfit: null,
          needsAgent,
          agent: needsAgent ? agent : null,
          checks,
        });
        const worst = Math.max(0, ...checks.filter(({ kind }) => kind !== 'gate').map(severity));
        const ofGates = checks.filter(({ kind }) => kind === 'gate').map(severity);
        const expected = [worst, ...ofGates].includes(2) ? 2 : ofGates.includes(0) ? worst : 1;
        expect(outcome).toBe(OUTCOMES[expected]);
      }),
    );
  });
  test('a run without an agent is decided by its checks alone', () => {
    fc.assert(
      fc.property(anyChecks, (checks) => {
        const input = { ...NATIVE, cancelled: false, unfit: null, checks };
        const { outcome } = decideOutcome({ ...input, needsAgent: false, agent: null });
        expect(outcome).toBe(decideOutcome({ ...input, agent: done }).outcome);
      }),
    );
  });
  test('a missing check makes any run that was not cancelled an error', () => {
    fc.assert(
      fc.property(anyInput, fc.nat(), (any, nth) => {
        fc.pre(!any.cancelled && any.checks.length > 0);
        const checks = any.checks.map((check, index): Check =>
          index === nth % any.checks.length ? { ...check, result: null } : check,
        );
        expect(decideOutcome({ ...any, checks }).outcome).toBe('error');
      }),
    );
  });
  test('a worse check or an additional one never improves a run', () => {
    const rank = ({ outcome }: OutcomeDecision): number => OUTCOMES.indexOf(outcome as (typeof OUTCOMES)[number]);
    fc.assert(
      fc.property(anyInput, anyChecks, fc.nat(), (any, others, nth) => {
        fc.pre(!any.cancelled && hasGates(any.checks));
        const before = rank(decideOutcome(any));
        expect(rank(decideOutcome({ ...any, checks: [...any.checks, ...others] }))).toBeGreaterThanOrEqual(before);
        const checks = any.checks.map((check, index): Check =>
          index === nth % any.checks.length && check.kind === 'gate' && check.result !== null
            ? { ...check, result: { ...check.result, status: check.result.status === 'pass' ? 'fail' : 'error' } }
            : check,
        );
        expect(rank(decideOutcome({ ...any, checks }))).toBeGreaterThanOrEqual(before);
      }),
    );
  });
  test('gives one short line as the reason', () => {
    fc.assert(
      fc.property(anyInput, (any) => {
        const { message } = decideOutcome(any);
        expect(message).not.toMatch(/[\n\r\p{Cc}]/u);
        expect(Array.from(message).length).toBeLessThanOrEqual(300);
      }),
    );
  });
});
