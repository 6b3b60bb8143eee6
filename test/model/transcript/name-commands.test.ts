import { describe, expect, it } from 'vitest';
import { extractCommands } from '../../../src/model/transcript/analyse-transcript.js';
import { fromText, names, shell, target } from '../transcripts.js';

describe('a custom command pattern', () => {
  const found = (pattern: string, command: string) =>
    names(extractCommands({ events: shell(command), text: '', target: { ...target, commandPattern: pattern } }));

  it('names a command by group 2, else group 1, else the second word', () => {
    expect(found('^(tool|t) (\\w+)', 't add; tool list')).toEqual(['add', 'list']);
    expect(found('t (\\w+)', 'echo; t add x')).toEqual(['add']);
    expect(found('^t\\b', 't add; t')).toEqual(['add', '']);
    expect(found('^tool (\\w+)', "./tool add && bash -c 'tool rm'")).toEqual(['add', 'rm']);
  });

  it('applies to the lines of a text, with or without a prompt', () => {
    expect(names(fromText('$ tool add\nmy tool list\ntool rm --help', '^tool (\\w+)'))).toEqual(['add', 'help']);
  });

  it('does not take a status line for a command, but accepts a subcommand of that name', () => {
    expect(names(fromText('tool add\nexit code 1\nerror: bad\nFailed to add\ntool exit', '^(?:tool )?(\\w+)'))).toEqual(
      ['add', 'exit'],
    );
  });

  it('finds nothing if it is invalid, and is ignored if it is blank', () => {
    expect(fromText('$ tool add', '(')).toEqual([]);
    expect(names(fromText('$ tool add', ' '))).toEqual(['add']);
  });
});
