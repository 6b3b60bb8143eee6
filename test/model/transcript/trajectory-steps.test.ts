import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TrajectoryStep } from '../../../src/model/records/execution.js';
import type { EventBody, RunEvent } from '../../../src/model/records/events.js';
import { trajectorySteps } from '../../../src/model/transcript/trajectory-steps.js';

const eventsOf = (...bodies: EventBody[]): RunEvent[] =>
  bodies.map((body, at) => ({ ts: new Date(1000 * at).toISOString(), seq: at + 1, attempt: 1, ...body }));
const call = (name: string, input: unknown = {}): EventBody => ({
  type: 'tool_call',
  id: name,
  name,
  command: null,
  input: input as never,
});
const result = (output: string): EventBody => ({
  type: 'tool_result',
  id: '',
  exit_code: null,
  is_error: false,
  truncated: false,
  output,
});

describe('the trajectory of an agent', () => {
  test('consists of its reasoning, its calls of tools, and their results, with their times', () => {
    const events = eventsOf(
      { type: 'session', session_id: null, model_requested: null, model_used: null },
      { type: 'reasoning', text: 'I should look.' },
      call('read_file', { path: 'notes.md' }),
      result('- milk'),
      { type: 'message', role: 'assistant', text: 'Milk.' },
      { type: 'result', ending: 'done', exit_code: 0 },
    );
    expect(trajectorySteps(events)).toEqual({
      steps: [
        { type: 'thought', timestamp: '1970-01-01T00:00:01.000Z', content: 'I should look.' },
        {
          type: 'action',
          timestamp: '1970-01-01T00:00:02.000Z',
          content: { name: 'read_file', parameters: { path: 'notes.md' } },
        },
        { type: 'observation', timestamp: '1970-01-01T00:00:03.000Z', content: '- milk' },
      ],
      leftOut: 0,
    });
  });
  test('says of actions that the agent only named that they were not executed', () => {
    const named: EventBody = {
      type: 'tool_call',
      id: '1',
      name: 'FLY',
      input: null,
      command: null,
      executed: false,
    };
    expect(trajectorySteps(eventsOf(named)).steps).toMatchObject([
      { type: 'action', content: { name: 'FLY', parameters: null, executed: false } },
    ]);
  });
  test('is bounded, and says how much is left out', () => {
    const many = Array.from({ length: 600 }, () => call('write', { content: 'x'.repeat(10_000) }));
    const { steps, leftOut } = trajectorySteps(eventsOf(...many));
    expect([steps.length, leftOut]).toEqual([500, 100]);
    expect(JSON.stringify(steps).length).toBeLessThan(500 * 5000);
    expect(JSON.stringify(steps[0])).toContain('…');
  });
  test('has one entry for each event of these types, and fits its schema', () => {
    const body = fc.oneof(
      fc.string().map((text): EventBody => ({ type: 'reasoning', text })),
      fc.jsonValue().map((input) => call('tool', input)),
      fc.string().map(result),
      fc.string().map((text): EventBody => ({ type: 'message', role: 'assistant', text })),
    );
    fc.assert(
      fc.property(fc.array(body), (bodies) => {
        const { steps, leftOut } = trajectorySteps(eventsOf(...bodies));
        expect(steps.length + leftOut).toBe(bodies.filter(({ type }) => type !== 'message').length);
        for (const step of steps) expect(TrajectoryStep.parse(step)).toEqual(step);
      }),
    );
  });
});
