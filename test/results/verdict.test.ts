import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decideOutcome, type VerdictInput } from '../../src/results/verdict.js';
import { gate } from '../reports/sample.js';

const done = { ending: 'done', completed: true, message: 'agent completed' } as const;
const input = (change: Partial<VerdictInput> = {}): VerdictInput => ({
  cancelled: false,
  stepFailure: null,
  unfit: null,
  agent: done,
  gates: [gate(), gate()],
  judge: null,
  ...change,
});
const failing = gate({
  gate_type: 'file_contains',
  name: 'notes.md',
  status: 'fail',
  message: 'has no "milk"',
});
const broken = gate({ gate_type: 'command_succeeds', status: 'error', message: 'sh is missing' });

describe('decideOutcome', () => {
  test('passes when every gate passed', () => {
    expect(decideOutcome(input())).toEqual({ outcome: 'pass', message: '2/2 gates passed' });
  });
  test('fails with the first failed gate and says how many more there are', () => {
    expect(decideOutcome(input({ gates: [gate(), failing, failing] }))).toEqual({
      outcome: 'fail',
      message: '1/3 gates passed: file_contains notes.md: has no "milk" (and 1 more)',
    });
  });
  test('a broken gate makes the run an error, never a failure', () => {
    expect(decideOutcome(input({ gates: [gate(), broken] }))).toEqual({
      outcome: 'error',
      message: '1/2 gates passed, 1 not checked: command_succeeds: sh is missing',
    });
  });
  test('a failed gate is a finding even beside a broken one', () => {
    expect(decideOutcome(input({ gates: [broken, failing] })).outcome).toBe('fail');
  });
  test('the gates decide about an agent that timed out, and the message says so', () => {
    const agent = { ending: 'timeout', completed: false, message: 'agent timed out after 300 s.' } as const;
    expect(decideOutcome(input({ agent }))).toEqual({
      outcome: 'pass',
      message: 'agent timed out after 300 s; 2/2 gates passed',
    });
    expect(decideOutcome(input({ agent, gates: [failing] })).outcome).toBe('fail');
  });
  test('a judge below its threshold makes the run fail, and its score is told either way', () => {
    const judge = { weighted_score: 0.52, pass_threshold: 0.7, passed: false };
    expect(decideOutcome(input({ judge }))).toEqual({
      outcome: 'fail',
      message: '2/2 gates passed; judge 0.52 < 0.70',
    });
    expect(decideOutcome(input({ judge: { ...judge, weighted_score: 0.9, passed: true } }))).toEqual({
      outcome: 'pass',
      message: '2/2 gates passed; judge 0.90',
    });
    const near = { weighted_score: 0.6996, pass_threshold: 0.7, passed: false };
    expect(decideOutcome(input({ judge: near })).message).toMatch(/judge 0\.6996 < 0\.7000$/);
  });
  test('a judge does not save a run whose gates failed, or whose agent did not complete without gates', () => {
    const judge = { weighted_score: 1, pass_threshold: 0.7, passed: true };
    expect(decideOutcome(input({ judge, gates: [failing] }))).toMatchObject({
      outcome: 'fail',
      message: expect.stringMatching(/^0\/1 gates passed: .*; judge 1\.00$/) as string,
    });
    const agent = { ending: 'gave_up', completed: false, message: 'agent gave up' } as const;
    expect(decideOutcome(input({ judge, gates: [], agent })).outcome).toBe('fail');
  });
  test('a judge that could not judge is an error, unless a gate failed', () => {
    const stepFailure = "step 'judge' could not be performed: HTTP 401";
    expect(decideOutcome(input({ stepFailure })).outcome).toBe('error');
    expect(decideOutcome(input({ stepFailure, gates: [failing] })).outcome).toBe('fail');
  });
  test('an agent message that does not name the agent is made to', () => {
    const agent = { ending: 'gave_up', completed: false, message: 'exit 3' } as const;
    expect(decideOutcome(input({ agent })).message).toBe('agent: exit 3; 2/2 gates passed');
  });
  test('an agent that could not work is an error', () => {
    const agent = { ending: 'unable', completed: false, message: 'the agent has no API key' } as const;
    expect(decideOutcome(input({ agent, gates: [] }))).toEqual({
      outcome: 'error',
      message: 'the agent has no API key',
    });
  });
  test('a workspace that is not fit is an error without an agent', () => {
    const unfit = 'health check failed (exit 127): notes --version';
    expect(decideOutcome(input({ unfit, agent: null, gates: [] }))).toEqual({
      outcome: 'error',
      message: unfit,
    });
  });
  test('a step that could not be performed is an error', () => {
    expect(decideOutcome(input({ stepFailure: 'runPostScript: the disk is full' }))).toEqual({
      outcome: 'error',
      message: 'runPostScript: the disk is full',
    });
  });
  test('a failed gate outweighs a failed step, and the message has both', () => {
    expect(decideOutcome(input({ gates: [failing], stepFailure: 'no disk' }))).toEqual({
      outcome: 'fail',
      message: '0/1 gates passed: file_contains notes.md: has no "milk"; no disk',
    });
  });
  test('a run whose agent was never started does not pass', () => {
    expect(decideOutcome(input({ agent: null, gates: [] })).outcome).toBe('error');
  });
  test('a run without gates says that there were none', () => {
    expect(decideOutcome(input({ gates: [] }))).toEqual({ outcome: 'pass', message: 'no gates to pass' });
  });
  test('a cancelled run is cancelled whatever else happened', () => {
    expect(decideOutcome(input({ cancelled: true, gates: [failing], stepFailure: 'x' })).outcome).toBe(
      'cancelled',
    );
    const agent = { ending: 'cancelled', completed: false, message: 'killed' } as const;
    expect(decideOutcome(input({ agent })).outcome).toBe('cancelled');
  });

  const anyInput = fc.record({
    cancelled: fc.boolean(),
    stepFailure: fc.option(fc.string()),
    unfit: fc.option(fc.string({ unit: 'binary', maxLength: 2000 })),
    agent: fc.option(
      fc.record({
        ending: fc.constantFrom('done', 'gave_up', 'timeout', 'crashed', 'unable'),
        completed: fc.boolean(),
        message: fc.string(),
      }),
    ),
    judge: fc.option(
      fc.record({
        weighted_score: fc.double({ min: 0, max: 1, noNaN: true }),
        pass_threshold: fc.double({ min: 0, max: 1, noNaN: true }),
        passed: fc.boolean(),
      }),
    ),
    gates: fc.array(
      fc
        .record({
          status: fc.constantFrom('pass', 'fail', 'error'),
          message: fc.string({ unit: 'binary', maxLength: 2000 }),
        })
        .map((change) => gate(change)),
    ),
  });
  test('passes only when an agent ran and nothing failed or broke', () => {
    fc.assert(
      fc.property(anyInput, (any) => {
        const clean =
          !any.cancelled &&
          any.stepFailure === null &&
          any.unfit === null &&
          any.agent !== null &&
          any.agent.ending !== 'unable' &&
          any.gates.every((one) => one.status === 'pass') &&
          (any.gates.length > 0 || any.agent.completed) &&
          any.judge?.passed !== false;
        expect(decideOutcome(any).outcome === 'pass').toBe(clean);
      }),
    );
  });
  test('fails only when a gate or the judge failed it, or no gate speaks for an agent that did not complete', () => {
    fc.assert(
      fc.property(anyInput, (any) => {
        fc.pre(decideOutcome(any).outcome === 'fail');
        const nothingSpeaks = any.gates.length === 0 && any.agent?.completed === false;
        const judgedBad = any.judge?.passed === false;
        expect(nothingSpeaks || judgedBad || any.gates.some((one) => one.status === 'fail')).toBe(true);
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
