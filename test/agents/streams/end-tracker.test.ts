import { expect, it } from 'vitest';
import { createEndTracker } from '../../../src/agents/streams/contradictions.js';
import type { EventBody } from '../../../src/model/records/events.js';

const error = (message: string): EventBody => ({ type: 'error', message, retryable: true });
const text: EventBody = { type: 'message', role: 'assistant', text: 'on we go' };
const result: EventBody = { type: 'result', ending: 'done', exit_code: 0 };

const endOf = (...events: EventBody[]) => {
  const end = createEndTracker();
  for (const event of events) end.add(event);
  return end.read();
};

it('the end tracker gives the last result and the last error', () => {
  expect(endOf(text, error('a'), error('b'), result)).toEqual({ result, error: error('b') });
});

it('the end tracker ignores an error from which the agent recovered', () => {
  expect(endOf(error('overloaded'), text, result)).toEqual({ result, error: null });
});

it('the end tracker gives no result if the agent went on after it, or failed', () => {
  expect(endOf(result, text)).toEqual({ result: null, error: null });
  expect(endOf(result, error('a'))).toEqual({ result: null, error: error('a') });
});

it('the end tracker does not take a message of the system for a recovery', () => {
  const notice: EventBody = { type: 'message', role: 'system', text: 'still trying' };
  expect(endOf(error('a'), notice)).toEqual({ result: null, error: error('a') });
});

it('the end tracker gives nothing without events', () => {
  expect(endOf()).toEqual({ result: null, error: null });
});
