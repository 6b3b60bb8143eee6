import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { efficiencyOf, extractCommands, type Transcript } from '../../../src/model/transcript/analyse-transcript.js';
import { fromEvents, fromText, names, outcomes, shell, target } from '../transcripts.js';

const analyseTranscript = (transcript: Transcript) => efficiencyOf(extractCommands(transcript));

describe('help', () => {
  it('gives every form of help the same name and counts it', () => {
    const text = '$ tool --help\n$ tool add --help\n$ tool help add\n$ tool add';
    const metrics = analyseTranscript({ events: [], text, target });
    expect(names(fromText(text))).toEqual(['help', 'help', 'help', 'add']);
    expect(metrics).toMatchObject({ help_invocations: 3, unique_commands: 2, total_commands: 4 });
  });

  it('fails only with an explicit exit code', () => {
    expect(outcomes(fromText('$ tool --help\nerror: usage'))).toEqual(['help']);
    expect(outcomes(fromText('$ tool --help\nexit code 2'))).toEqual(['help!']);
    expect(outcomes(fromEvents(shell('tool --help', { exit_code: null, is_error: true })))).toEqual(['help']);
    expect(outcomes(fromEvents(shell('tool --help', { exit_code: 2 })))).toEqual(['help!']);
  });
});

describe('figures', () => {
  it('follow the formulas', () => {
    const events = [
      ...shell('tool add', { exit_code: 1 }),
      ...shell('tool add'),
      ...shell('tool list'),
      ...shell('tool list', { exit_code: 1 }),
      ...shell('tool show'),
    ];
    expect(analyseTranscript({ events, text: '', target })).toEqual({
      total_commands: 5,
      unique_commands: 3,
      error_count: 2,
      retry_count: 2,
      help_invocations: 0,
      first_try_success_rate: 2 / 3,
      iteration_ratio: 3 / 5,
    });
  });

  it('have no first-try rate without commands', () => {
    expect(analyseTranscript({ events: [], text: '', target })).toMatchObject({
      total_commands: 0,
      first_try_success_rate: null,
      iteration_ratio: 0,
    });
  });

  const calls = fc.array(
    fc.record({ name: fc.constantFrom('add', 'list', 'rm', ''), exit: fc.constantFrom(0, 0, 1, 127) }),
  );
  const expected = (list: { name: string; exit: number }[]) => {
    const unique = [...new Set(list.map(({ name }) => name))];
    const firstOk = unique.filter((name) => list.find((call) => call.name === name)?.exit === 0).length;
    return {
      total_commands: list.length,
      unique_commands: unique.length,
      error_count: list.filter(({ exit }) => exit !== 0).length,
      retry_count: list.length - unique.length,
      help_invocations: 0,
      first_try_success_rate: unique.length === 0 ? null : firstOk / unique.length,
      iteration_ratio: list.length === 0 ? 0 : unique.length / list.length,
    };
  };

  it('are the same for calls in events and in text', () => {
    fc.assert(
      fc.property(calls, fc.constantFrom('$ tool', '> tool', './tool', 'tool'), (list, prefix) => {
        const events = list.flatMap(({ name, exit }) => shell(`tool ${name}`, { exit_code: exit }));
        const text = list.map(({ name, exit }) => `${prefix} ${name}\nsome output\nexit code ${exit}\n`).join('');
        expect(analyseTranscript({ events, text: '', target })).toEqual(expected(list));
        expect(analyseTranscript({ events: [], text, target })).toEqual(expected(list));
      }),
    );
  });

  const noise = fc.array(
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('tool ', '$ ', '"', "'", '`', '$(', ')', '<<', 'EOF', '\n', ';', '\\', 'bash -c ', '--help'),
    ),
    { maxLength: 60 },
  );

  it('add up, and never throw, for any transcript', () => {
    fc.assert(
      fc.property(noise, fc.constantFrom(null, 'tool (\\w+)', '(', 'x|(\\w*)'), (pieces, commandPattern) => {
        const text = pieces.join('');
        for (const events of [[], shell(text, { exit_code: 1 })]) {
          const transcript = { events, text, target: { binary: 'tool', commandPattern } };
          const found = extractCommands(transcript);
          const figures = analyseTranscript(transcript);
          expect(figures.total_commands).toBe(found.length);
          expect(figures.unique_commands + figures.retry_count).toBe(figures.total_commands);
          expect(figures.error_count).toBeLessThanOrEqual(figures.total_commands);
          expect(figures.help_invocations).toBe(found.filter(({ name }) => name === 'help').length);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('ignore separators in quotes', () => {
    const word = fc
      .array(fc.constantFrom('a', ';', '&', '|', '\n', '#', '(', ')', '<', ' tool x '))
      .map((c) => c.join(''));
    fc.assert(
      fc.property(word, fc.constantFrom('"', "'"), (inside, quote) => {
        expect(names(fromEvents(shell(`echo ${quote}${inside}${quote} && tool add`)))).toEqual(['add']);
      }),
    );
  });

  it('can be computed for a text of 10 MB', () => {
    const text = '$ tool add a note\nadded\nexit code 0\n'.repeat(300_000);
    expect(analyseTranscript({ events: [], text, target }).total_commands).toBe(300_000);
  });

  it.each(['$ tool ', 'tool $(', 'tool <<a\n', 'tool \'"`', 'A= ', '\r\r tool', '\u001b]\u009d tool \u009b1'])(
    'take linear time for a megabyte of %j',
    (piece) => {
      const text = piece.repeat(1_000_000 / piece.length);
      expect(analyseTranscript({ events: [], text, target }).error_count).toBe(0);
      expect(analyseTranscript({ events: shell(text), text: '', target }).error_count).toBe(0);
    },
  );
});
