import { describe, expect, it } from 'vitest';
import { readEvent } from '../../../src/agents/streams/event-stream.js';

const TYPES = 'session, message, reasoning, tool_call, tool_result, extension, usage, error, unknown or result';

/** The flaw of a line, and the field that it is about. */
const flawOf = (line: unknown) => {
  const { flaw } = readEvent(typeof line === 'string' ? line : JSON.stringify(line));
  return flaw === null ? null : [flaw.field, flaw.message];
};

describe('a line that does not fit', () => {
  it.each<[string, unknown, string | null, string]>([
    ['no JSON', 'Loading', null, 'not JSON, expected an event: "Loading"'],
    ['no object', [1], null, 'expected an event, a JSON object, got "[1]"'],
    ['no type', { text: 'x' }, 'type', `type: missing, expected ${TYPES}`],
    ['another kind of type', { type: 3 }, 'type', `type: got 3, expected ${TYPES}`],
    [
      'a misspelt type',
      { type: 'tool_cal' },
      'type',
      `type: unknown type "tool_cal", did you mean "tool_call"?; expected ${TYPES}`,
    ],
    ['a type of the harness', { type: 'post_script' }, 'type', `type: unknown type "post_script"; expected ${TYPES}`],
    [
      'no field that may be null',
      { type: 'tool_call', id: '1', name: 'n', input: null },
      'command',
      'tool_call.command: missing, expected a string or null',
    ],
    [
      'no field with any JSON',
      { type: 'tool_call', id: '1', name: 'n', command: null },
      'input',
      'tool_call.input: missing, expected a JSON value',
    ],
    [
      'several missing fields',
      { type: 'tool_result' },
      'id',
      'tool_result.id: missing, expected a string; tool_result.exit_code: missing, expected a whole number or null; tool_result.is_error: missing, expected true or false; and 2 more',
    ],
    [
      'a word that is none of the known ones',
      { type: 'message', role: 'bot', text: '' },
      'role',
      'message.role: expected user, assistant or system, got "bot"',
    ],
    [
      'a fraction',
      { type: 'result', ending: 'done', exit_code: 1.5 },
      'exit_code',
      'result.exit_code: expected a whole number or null, got 1.5',
    ],
    [
      'null where a value is needed',
      { type: 'error', message: 'm', retryable: null },
      'retryable',
      'error.retryable: expected true or false, got null',
    ],
    [
      'an object where a string is needed',
      { type: 'reasoning', text: { a: 1 } },
      'text',
      'reasoning.text: expected a string, got an object',
    ],
    [
      'an optional field that is wrong',
      { type: 'error', message: 'm', retryable: false, status: null },
      'status',
      'error.status: expected a whole number, got null',
    ],
  ])('is explained: %s', (_, line, field, message) => {
    expect(flawOf(line)).toEqual([field, message]);
    expect(readEvent(JSON.stringify(line)).event).toBeNull();
  });

  it('is still an event if it only has a field that does not exist', () => {
    const line = { type: 'message', role: 'assistant', text: 'x', txet: 'y', colour: 'red' };
    expect(flawOf(line)).toEqual([
      'txet',
      'message.txet: unknown field, did you mean "text"?; message.colour: unknown field',
    ]);
    expect(readEvent(JSON.stringify(line)).event).toEqual({ type: 'message', role: 'assistant', text: 'x' });
  });

  it('names a misspelt field beside the one that is missing', () => {
    expect(flawOf({ type: 'reasoning', txt: 'x' })?.[1]).toBe(
      'reasoning.text: missing, expected a string; reasoning.txt: unknown field, did you mean "text"?',
    );
  });

  it('is shown shortened, so that redaction finds cut secrets', () => {
    expect(flawOf('x'.repeat(100))?.[1]).toBe(`not JSON, expected an event: "${'x'.repeat(60)}…"`);
  });
});
