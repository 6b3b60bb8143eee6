import { describe, expect, it } from 'vitest';
import { extractCommands } from '../../../src/model/transcript/analyse-transcript.js';
import type { EventBody } from '../../../src/model/records/events.js';
import { fromEvents, names, outcomes, shell, target } from '../transcripts.js';

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

  it('matches a binary given as a path by its base name', () => {
    const events = shell('node dist/cli.js add && ./cli.js list');
    const found = extractCommands({
      events,
      text: '',
      target: { binary: '../dist/cli.js', commandPattern: null },
    });
    expect(names(found)).toEqual(['add', 'list']);
  });

  it('takes the command from the input if the adapter names none', () => {
    const call = (input: object): EventBody =>
      ({ type: 'tool_call', id: 'a', name: 'exec', input, command: null }) as EventBody;
    expect(names(fromEvents([call({ cmd: 'tool add' })]))).toEqual(['add']);
    expect(names(fromEvents([call({ command: ['bash', '-lc', 'echo "x" && tool add'] })]))).toEqual(['add']);
    expect(names(fromEvents([call({ file_path: 'tool add' })]))).toEqual([]);
  });

  it('prefers the exit code to is_error, which decides only without an exit code', () => {
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

  it('assigns a result with an unknown id to the call right before it', () => {
    const events = [shell('tool a', null), shell('ls', null), shell('tool b', { exit_code: 1, id: 'other' })];
    expect(outcomes(fromEvents(...events))).toEqual(['a', 'b!']);
    expect(outcomes(fromEvents(shell('tool a', null), shell('ls', { exit_code: 1, id: '?' })))).toEqual(['a']);
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
  ])('blames the target for the failure of `%s` only if its status is that of the call', (command, expected) => {
    expect(outcomes(fromEvents(shell(command, { exit_code: 1 })))).toEqual(expected);
  });
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

it('a call that was not executed is no call of the target', () => {
  const events: EventBody[] = [
    { type: 'tool_call', id: 'a', name: 'Shell', input: { command: 'tool add' }, command: null },
    {
      type: 'tool_result',
      id: 'a',
      exit_code: null,
      is_error: true,
      output: '',
      truncated: false,
      executed: false,
    },
  ];
  expect(extractCommands({ events, text: null, target: { binary: 'tool', commandPattern: null } })).toEqual([]);
});
