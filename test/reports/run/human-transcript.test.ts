import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EventBody, RunEvent } from '../../../src/model/records/events.js';
import { NO_USAGE } from '../../../src/model/records/token-usage.js';
import { renderHumanTranscript, type TranscriptHead } from '../../../src/reports/run/human-transcript.js';
import { say } from '../../model/transcripts.js';

const unknown = { token_usage: NO_USAGE, cost_usd: null };
const head: TranscriptHead = {
  scenario: 'add-note',
  agent: 'mock',
  model: 'm1',
  prompt: 'Add a note.',
  used: unknown,
};

/** The transcript of these events, each in its given attempt (default: 1). */
const render = (...events: (EventBody & { attempt?: number })[]): string => renderUsing(unknown, ...events);

function renderUsing(used: TranscriptHead['used'], ...events: (EventBody & { attempt?: number })[]): string {
  const stamped = events.map((event, index): RunEvent => ({
    ts: '2026-01-01T00:00:00Z',
    seq: index + 1,
    attempt: 1,
    ...event,
  }));
  return [...renderHumanTranscript({ ...head, used }, stamped)].join('');
}

const call = (id: string, command: string | null, input = {}): EventBody => ({
  type: 'tool_call',
  id,
  name: 'Write',
  input,
  command,
});
const result = (id: string, output: string, rest: object = {}) =>
  ({
    type: 'tool_result',
    id,
    exit_code: 0,
    is_error: false,
    output,
    truncated: false,
    ...rest,
  }) as EventBody;
const usage = (rest: object) =>
  ({
    type: 'usage',
    input: null,
    output: null,
    reasoning: null,
    cache_read: null,
    cache_write: null,
    cost_usd: null,
    ...rest,
  }) as EventBody;

describe('the human transcript', () => {
  it('marks a failed tool call as failed only if it has no exit status', () => {
    const failure = { exit_code: null, is_error: true };
    expect(render(call('a', 'x'), result('a', 'no', failure))).toContain('[failed]');
    expect(render(call('a', 'x'), result('a', 'no', { ...failure, is_error: false }))).not.toContain('[failed]');
    expect(render(call('a', 'x'), result('a', 'no', { ...failure, exit_code: 1 }))).not.toContain('[failed]');
  });

  it('reads like a conversation', () => {
    const text = renderUsing(
      { token_usage: { ...NO_USAGE, input: 12, output: 5, cache_read: 7 }, cost_usd: 0.01 },
      say('Add a note.', 'user'),
      { type: 'reasoning', text: 'I need the tool.' },
      say('I add it.'),
      call('a', 'tool add x'),
      result('a', 'added\nfine\n'),
      call('b', null, { path: 'a.md' }),
      result('b', ''),
      usage({ input: 10, output: 5, cost_usd: 0.01 }),
      usage({ input: 2, cache_read: 7 }),
      { type: 'result', ending: 'done', exit_code: 0 },
    );
    expect(text).toBe(
      [
        'Scenario: add-note\nAgent: mock\nModel: m1\n',
        '=== Prompt ===\nAdd a note.\n',
        '=== Assistant, reasoning ===\nI need the tool.\n',
        '=== Assistant ===\nI add it.\n',
        '$ tool add x\n    added\n    fine\n    [exit code 0]\n',
        'Write {"path":"a.md"}\n    [exit code 0]\n',
        '=== End ===\nTokens: 12 input, 5 output, 7 cache read\nCost: $0.0100\nEnded: done (exit code 0)\n',
      ].join('\n'),
    );
  });

  it('says how a command failed', () => {
    expect(render(call('a', 'x'), result('a', 'no', { exit_code: 3 }))).toContain('$ x\n    no\n    [exit code 3]\n');
    expect(render(call('a', 'x'), result('a', '', { exit_code: null, is_error: true }))).toContain('    [failed]\n');
    expect(render(call('a', 'x'), result('a', 'y', { truncated: true }))).toContain('was not kept');
  });

  it('says whose result it is when calls overlap', () => {
    const text = render(call('a', 'one'), call('b', 'two'), result('b', 'B'), result('a', 'A'));
    expect(text).toContain('$ one\n\n$ two\n    B\n    [exit code 0]\n\nResult of: $ one\n    A\n    [exit code 0]\n');
  });

  it('shortens long outputs, lines and inputs, and says by how much', () => {
    const lines = Array.from({ length: 100 }, (_, index) => `line ${index + 1}`).join('\n');
    const text = render(call('a', 'x'), result('a', `${lines}\n`));
    expect(text).toContain('    line 60\n    ... 40 more lines\n');
    expect(text).not.toContain('line 61\n');
    expect(render(call('a', 'x'), result('a', `${lines.split('\n').slice(0, 60).join('\n')}\n`))).not.toContain('more');
    expect(render(call('a', 'x'), result('a', 'y'.repeat(2001)))).toContain('y... 1 more character\n');
    expect(render(call('a', null, { text: 'z'.repeat(1000) }))).toMatch(/z\.\.\. \(1011 characters\)\n/);
  });

  it('shortens nothing if the whole is wanted', () => {
    const lines = Array.from({ length: 100 }, (_, index) => `line ${index + 1}`).join('\n');
    const long = { text: 'z'.repeat(3000) };
    const events = [call('a', 'x'), result('a', `${lines}\n${'y'.repeat(3000)}`), call('b', null, long)];
    const stamped = events.map((event, seq): RunEvent => ({ ts: '', seq, attempt: 1, ...event }));
    const text = [...renderHumanTranscript(head, stamped, { whole: true })].join('');
    expect(text).toContain('    line 100\n');
    expect(text).toContain(`    ${'y'.repeat(3000)}\n`);
    expect(text).toContain(JSON.stringify(long));
    expect(text).not.toMatch(/more|characters/);
  });

  it('gives the total cost of the run, even if the events have no prices', () => {
    const used = { token_usage: { ...NO_USAGE, input: 9 }, cost_usd: 1.5 };
    expect(renderUsing(used, usage({ input: 4 }))).toContain('Tokens: 9 input\nCost: $1.50\n');
  });

  it('says "at least" if the agent was interrupted', () => {
    const used = {
      ...unknown,
      token_usage_at_least: { ...NO_USAGE, input: 9, output: 2 },
      cost_usd_at_least: 0.024,
    };
    expect(renderUsing(used)).toContain('Tokens: at least 9 input, 2 output\nCost: at least $0.0240\n');
  });

  it('marks a command that was still running when the agent ended', () => {
    const end: EventBody = { type: 'result', ending: 'timeout', exit_code: 137 };
    const text = render(call('a', 'one'), call('b', 'sleep 99'), result('a', 'A'), end, {
      type: 'post_script',
      command: 'check',
      exit_code: 0,
      timed_out: false,
      stdout: '',
      stderr: '',
    });
    expect(text).toMatch(/Still running when the agent ended: \$ sleep 99\n[^]*Post script/);
    expect(text).not.toContain('ended: $ one');
    expect(render(call('a', 'one'), { ...say('again'), attempt: 2 })).toMatch(
      /Still running when the agent ended: \$ one\n[^]*##### Attempt 2/,
    );
    expect(render(call('a', 'one'), result('a', ''))).not.toContain('Still running');
  });

  it('aligns the lines of a long command', () => {
    expect(render(call('a', 'cat <<E\nx\nE'))).toContain('\n$ cat <<E\n  x\n  E\n');
    expect(render(call('a', ''))).toContain('\n$\n');
  });

  it('shows setup commands and post scripts as such', () => {
    const script = { exit_code: 0, timed_out: false, stdout: 'out\n', stderr: 'err\n' };
    const text = render(
      { ...script, type: 'setup_command', command: 'make' },
      { ...script, type: 'post_script', command: 'check', exit_code: 2 },
      { ...script, type: 'post_script', command: 'slow', exit_code: null, timed_out: true },
      { ...script, type: 'post_script', command: 'killed', exit_code: null },
    );
    expect(text).toContain('\nSetup: $ make\n    out\n    err\n    [exit code 0]\n\n');
    expect(text).toContain('\nPost script: $ check\n    out\n    err\n    [exit code 2]\n');
    expect(text).toContain('$ slow\n    out\n    err\n    [timed out]\n');
    expect(text).toContain('$ killed\n    out\n    err\n    [ended by a signal]\n');
  });

  it('shows attempts, errors, and a model other than the requested one', () => {
    const text = render(
      { type: 'session', session_id: 's', model_requested: 'm1', model_used: 'm2' },
      { type: 'error', message: 'overloaded', retryable: true },
      { type: 'result', ending: 'crashed', exit_code: 1 },
      { ...say('again'), attempt: 2 },
    );
    expect(text).toContain('[model used: m2]\n\nError: overloaded (may be retried)\n');
    expect(text).toContain('\nEnded: crashed (exit code 1)\n\n##### Attempt 2 #####\n\n=== Assistant ===\nagain\n');
    expect(text).toMatch(/Tokens: n\/a\nCost: n\/a\nEnded: unknown, the record stops here\n$/);
  });

  it('shows nothing for an empty message', () => {
    expect(render(say(' \n'))).toBe(render());
  });

  it('shows a line as it ends up on a terminal', () => {
    expect(render(call('a', 'x'), result('a', '10%\r50%\r100%\r\ndone'))).toContain('    100%\n    done\n');
    expect(render(say('\u001b[1;31mred\u001b[0m \u001b]8;;http://x\u0007link\u001b]8;;\u0007'))).toContain(
      '\nred link\n',
    );
  });

  it('contains no control characters except newline and tab, for any events', () => {
    const nasty = fc
      .array(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.constantFrom('\u001b', '\u001b[31m', '\u001b]0;', '\u009b', '\r', '\u202e'),
        ),
      )
      .map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(nasty, (text) => {
        const whole = render(
          say(text),
          call(text, text),
          result(text, text, { exit_code: 1 }),
          call('b', null, { [text]: text }),
          { type: 'error', message: text, retryable: false },
          { type: 'post_script', command: text, exit_code: 0, timed_out: false, stdout: text, stderr: text },
          { type: 'result', ending: text, exit_code: null },
        );
        expect(whole).not.toMatch(/[\0-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
      }),
    );
  });

  it('is rendered piece by piece, before the events have ended', () => {
    let read = 0;
    function* endless(): Generator<RunEvent> {
      for (;;) yield { ...say(`message ${++read}`), ts: '', seq: read, attempt: 1 };
    }
    const pieces = renderHumanTranscript(head, endless());
    for (let index = 0; index < 10; index++) pieces.next();
    expect(read).toBeLessThanOrEqual(10);
  });
});
