import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { analyseTranscript, extractCommands } from '../../src/results/analyse-transcript.js';
import type { EventBody } from '../../src/results/events.js';

type Result = { exit_code: number | null; is_error?: boolean; id?: string };
let ids = 0;

/** A shell call and, unless the result is null, its result. */
function shell(command: string, result: Result | null = { exit_code: 0 }): EventBody[] {
  const id = `call-${++ids}`;
  const call: EventBody = { type: 'tool_call', id, name: 'Bash', input: { command }, command };
  if (result === null) return [call];
  const end = { type: 'tool_result', id, is_error: false, output: '', truncated: false, ...result } as const;
  return [call, end];
}

const target = { binary: 'tool', commandPattern: null as string | null };
const fromEvents = (...events: EventBody[][]) => extractCommands({ events: events.flat(), text: '', target });
const fromText = (text: string, commandPattern: string | null = null) =>
  extractCommands({ events: [], text, target: { ...target, commandPattern } });
const names = (commands: { name: string }[]) => commands.map(({ name }) => name);
const outcomes = (commands: { name: string; failed: boolean }[]) =>
  commands.map(({ name, failed }) => `${name}${failed ? '!' : ''}`);

describe('structured tool events', () => {
  it.each([
    ['tool add x', ['add']],
    ['tool', ['']],
    ['./tool add', ['add']],
    ['/usr/local/bin/tool add', ['add']],
    ['scripts/tool add', ['add']],
    ['"./tool" "add"', ['add']],
    ['A=1 B="x y" tool add', ['add']],
    ['PATH=/x/tool ls', []],
    ['sudo -E tool add', ['add']],
    ['env X=1 tool add', ['add']],
    ['time tool add', ['add']],
    ['npx -y tool add', ['add']],
    ['timeout 30s tool add', ['add']],
    ['python3 ./tool add', ['add']],
    ["/bin/bash -lc 'cd x && tool add'", ['add']],
    ['cd x && tool add; tool list | head || tool rm', ['add', 'list', 'rm']],
    ['tool add\ntool list &', ['add', 'list']],
    ['tool add 2>&1 >out.txt &>log', ['add']],
    ['2>/dev/null tool add', ['add']],
    ['for f in a b; do tool add $f; done', ['add']],
    ['if ! tool check; then tool fix; fi', ['check', 'fix']],
    ['(cd x; tool add)', ['add']],
    ['ID=$(tool create "a b") && echo "got $(tool show $ID)"', ['create', 'show']],
    ['echo `tool list`', ['list']],
    ['diff <(tool list) <(tool list --all)', ['list', 'list']],
    ['echo "tool add; tool rm"', []],
    ["echo 'x && tool add'", []],
    ['echo tool add', []],
    ['toolbox add', []],
    ['my-tool add', []],
    ['tool.py add', []],
    ["# don't\ntool add # && tool rm", ['add']],
    ['cat > notes.md <<EOF\ntool rm\nEOF\ntool add', ['add']],
    ['cat <<-"END" | tool import\n\ttool rm\n\tEND\ntool add', ['import', 'add']],
    ['echo $((1<<tool))\ntool add', ['add']],
    ['tool \\\n  add', ['add']],
  ])('finds in %j the commands %j', (command, expected) => {
    expect(names(fromEvents(shell(command)))).toEqual(expected);
  });

  it('matches a binary that is given as a path by its base name', () => {
    const events = shell('node dist/cli.js add && ./cli.js list');
    const found = extractCommands({
      events,
      text: '',
      target: { binary: '../dist/cli.js', commandPattern: null },
    });
    expect(names(found)).toEqual(['add', 'list']);
  });

  it('takes the command from the input where the adapter names none', () => {
    const call = (input: object): EventBody =>
      ({ type: 'tool_call', id: 'a', name: 'exec', input, command: null }) as EventBody;
    expect(names(fromEvents([call({ cmd: 'tool add' })]))).toEqual(['add']);
    expect(names(fromEvents([call({ command: ['bash', '-lc', 'echo "x" && tool add'] })]))).toEqual(['add']);
    expect(names(fromEvents([call({ file_path: 'tool add' })]))).toEqual([]);
  });

  it('lets the exit code decide over is_error, and is_error where there is no exit code', () => {
    expect(outcomes(fromEvents(shell('tool a', { exit_code: 0, is_error: true })))).toEqual(['a']);
    expect(outcomes(fromEvents(shell('tool a', { exit_code: 2, is_error: false })))).toEqual(['a!']);
    expect(outcomes(fromEvents(shell('tool a', { exit_code: null, is_error: true })))).toEqual(['a!']);
    expect(outcomes(fromEvents(shell('tool a', null)))).toEqual(['a']);
  });

  it('finds the result of a parallel call by its id', () => {
    const [call1, result1] = shell('tool a', { exit_code: 1 });
    const [call2, result2] = shell('tool b');
    expect(outcomes(fromEvents([call1, call2, result2, result1] as EventBody[]))).toEqual(['a!', 'b']);
  });

  it('gives a result of an unknown id to the call before it, never past the next call', () => {
    const events = [shell('tool a', null), shell('ls', null), shell('tool b', { exit_code: 1, id: 'other' })];
    expect(outcomes(fromEvents(...events))).toEqual(['a', 'b!']);
    expect(outcomes(fromEvents(shell('tool a', null), shell('ls', { exit_code: 1, id: '?' })))).toEqual([
      'a',
    ]);
  });

  it.each([
    ['tool list | grep nothing', ['list']],
    ['tool list; false', ['list']],
    ['tool list\nfalse', ['list']],
    ['tool list || false', ['list']],
    ['tool list && false', ['list!']],
    ['cd x && tool list', ['list!']],
    ['grep x | tool add', ['add!']],
    ['for i in 1 2; do tool add $i; done', ['add!']],
    ['if tool has; then tool add; fi', ['has', 'add!']],
    ['tool add; echo ok; sh -c "tool list"', ['add', 'list!']],
    ['sh -c "tool list" | cat', ['list']],
    ['tool list;', ['list!']],
  ])(
    'blames the target for the failure of `%s` only where its status is that of the call',
    (command, expected) => {
      expect(outcomes(fromEvents(shell(command, { exit_code: 1 })))).toEqual(expected);
    },
  );
  it('blames the last command of a chain', () => {
    expect(outcomes(fromEvents(shell('tool a && tool b', { exit_code: 1 })))).toEqual(['a', 'b!']);
  });

  it('uses the text only when there is no tool call at all', () => {
    const say: EventBody = { type: 'message', role: 'assistant', text: 'tool add' };
    const text = 'tool list\n';
    expect(names(extractCommands({ events: [say], text, target }))).toEqual(['list']);
    expect(names(extractCommands({ events: [say, ...shell('ls')], text, target }))).toEqual([]);
  });
});

describe('text', () => {
  it('accepts a prompt or ./ before a command, and the bare binary', () => {
    const text =
      '$ tool a\n> tool b\n./tool c\ntool\r\n  $ ./tool d\n$ cd x && tool e\n\u001b[32m$ \u001b[0mtool f';
    expect(names(fromText(text))).toEqual(['a', 'b', 'c', '', 'd', 'e', 'f']);
  });

  it('does not take prose and other programs for commands', () => {
    expect(
      fromText('I ran tool add\nif tool add fails\ntools are good\ntool: not found\n- tool add'),
    ).toEqual([]);
  });

  it.each([
    ['exit code 2', true],
    ['Exit status: 3', true],
    ['process exited with code 4', true],
    ['(exited with exit code: 5)', true],
    ['exit code: 0', false],
    ['Error: no such note', true],
    ['  FATAL bad', true],
    ['failed to add', true],
    ['panic: oops', true],
    ['error[E1]: x', true],
    ['0 errors', false],
    ['errors: 0', false],
    ['Failed: 0', false],
    ['added without error', false],
    ['error: odd\nexit code 0', false],
    ['fine\nexit code 1', true],
    ['exit code 0\nexit code 1', false],
    ['', false],
  ])('judges a command that is followed by %j', (output, failed) => {
    expect(fromText(`$ tool add\n${output}`)[0]?.failed).toBe(failed);
  });

  it('ends a result at the next command, also at that of another program', () => {
    expect(outcomes(fromText('$ tool a\n$ tool b\nerror: x\n'))).toEqual(['a', 'b!']);
    expect(outcomes(fromText('$ tool a\nok\n$ cat x\nerror: no x\n'))).toEqual(['a']);
  });

  it('reads lines from an iterable as it reads one text', () => {
    const text = '$ tool a\nerror: x\ntool b\n';
    expect(extractCommands({ events: [], text: text.split('\n'), target })).toEqual(fromText(text));
  });
});

describe('help', () => {
  it('names every form of help the same and counts it', () => {
    const text = '$ tool --help\n$ tool add --help\n$ tool help add\n$ tool add';
    const metrics = analyseTranscript({ events: [], text, target });
    expect(names(fromText(text))).toEqual(['help', 'help', 'help', 'add']);
    expect(metrics).toMatchObject({ help_invocations: 3, unique_commands: 2, total_commands: 4 });
  });

  it('fails only by an explicit exit code', () => {
    expect(outcomes(fromText('$ tool --help\nerror: usage'))).toEqual(['help']);
    expect(outcomes(fromText('$ tool --help\nexit code 2'))).toEqual(['help!']);
    expect(outcomes(fromEvents(shell('tool --help', { exit_code: null, is_error: true })))).toEqual(['help']);
    expect(outcomes(fromEvents(shell('tool --help', { exit_code: 2 })))).toEqual(['help!']);
  });
});

describe('a custom command pattern', () => {
  const found = (pattern: string, command: string) =>
    names(
      extractCommands({ events: shell(command), text: '', target: { ...target, commandPattern: pattern } }),
    );

  it('names a command by group 2, else group 1, else the second word', () => {
    expect(found('^(tool|t) (\\w+)', 't add; tool list')).toEqual(['add', 'list']);
    expect(found('t (\\w+)', 'echo; t add x')).toEqual(['add']);
    expect(found('^t\\b', 't add; t')).toEqual(['add', '']);
    expect(found('^tool (\\w+)', "./tool add && bash -c 'tool rm'")).toEqual(['add', 'rm']);
  });

  it('applies to the lines of a text, prompts or not', () => {
    expect(names(fromText('$ tool add\nmy tool list\ntool rm --help', '^tool (\\w+)'))).toEqual([
      'add',
      'help',
    ]);
  });

  it('does not take a status line for a command, but does a subcommand of that name', () => {
    expect(
      names(fromText('tool add\nexit code 1\nerror: bad\nFailed to add\ntool exit', '^(?:tool )?(\\w+)')),
    ).toEqual(['add', 'exit']);
  });

  it('finds nothing when it is invalid, and is no pattern when it is blank', () => {
    expect(fromText('$ tool add', '(')).toEqual([]);
    expect(names(fromText('$ tool add', ' '))).toEqual(['add']);
  });
});

describe('figures', () => {
  it('follow the formulae', () => {
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

  it('know no first-try rate without commands', () => {
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

  it('are the same whether the calls come as events or as text', () => {
    fc.assert(
      fc.property(calls, fc.constantFrom('$ tool', '> tool', './tool', 'tool'), (list, prefix) => {
        const events = list.flatMap(({ name, exit }) => shell(`tool ${name}`, { exit_code: exit }));
        const text = list
          .map(({ name, exit }) => `${prefix} ${name}\nsome output\nexit code ${exit}\n`)
          .join('');
        expect(analyseTranscript({ events, text: '', target })).toEqual(expected(list));
        expect(analyseTranscript({ events: [], text, target })).toEqual(expected(list));
      }),
    );
  });

  const noise = fc.array(
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        'tool ',
        '$ ',
        '"',
        "'",
        '`',
        '$(',
        ')',
        '<<',
        'EOF',
        '\n',
        ';',
        '\\',
        'bash -c ',
        '--help',
      ),
    ),
    { maxLength: 60 },
  );

  it('add up, and never throw, whatever the transcript is', () => {
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

  it('come from a text of 10 MB', () => {
    const text = '$ tool add a note\nadded\nexit code 0\n'.repeat(300_000);
    expect(analyseTranscript({ events: [], text, target }).total_commands).toBe(300_000);
  });

  it.each([
    '$ tool ',
    'tool $(',
    'tool <<a\n',
    'tool \'"`',
    'A= ',
    '\r\r tool',
    '\u001b]\u009d tool \u009b1',
  ])('come in linear time from a megabyte of %j', (piece) => {
    const text = piece.repeat(1_000_000 / piece.length);
    expect(analyseTranscript({ events: [], text, target }).error_count).toBe(0);
    expect(analyseTranscript({ events: shell(text), text: '', target }).error_count).toBe(0);
  });
});
