import { describe, expect, it } from 'vitest';
import { extractCommands } from '../../../src/model/transcript/analyse-transcript.js';
import { fromText, names, outcomes, target } from '../transcripts.js';

describe('text', () => {
  it('accepts a prompt or ./ before a command, and the bare binary', () => {
    const text = '$ tool a\n> tool b\n./tool c\ntool\r\n  $ ./tool d\n$ cd x && tool e\n\u001b[32m$ \u001b[0mtool f';
    expect(names(fromText(text))).toEqual(['a', 'b', 'c', '', 'd', 'e', 'f']);
  });

  it('accepts shell prompts with user, machine and folder', () => {
    const text =
      'user@host:~$ tool a\nroot@box:/work/x# tool b\n[me@host work]$ tool c\nme@host.local:~/x$ cat y\nerror: z';
    expect(outcomes(fromText(text))).toEqual(['a', 'b', 'c']);
    expect(fromText('mail me@host: tool a\n# tool b\n[see] $tool c')).toEqual([]);
  });

  it('does not take prose and other programs for commands', () => {
    expect(fromText('I ran tool add\nif tool add fails\ntools are good\ntool: not found\n- tool add')).toEqual([]);
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
  ])('decides whether a command failed that is followed by %j', (output, failed) => {
    expect(fromText(`$ tool add\n${output}`)[0]?.failed).toBe(failed);
  });

  it('ends a result at the next command, even of another program', () => {
    expect(outcomes(fromText('$ tool a\n$ tool b\nerror: x\n'))).toEqual(['a', 'b!']);
    expect(outcomes(fromText('$ tool a\nok\n$ cat x\nerror: no x\n'))).toEqual(['a']);
  });

  it('reads lines from an iterable like a single text', () => {
    const text = '$ tool a\nerror: x\ntool b\n';
    expect(extractCommands({ events: [], text: text.split('\n'), target })).toEqual(fromText(text));
  });
});
