import { describe, expect, it } from 'vitest';
import { codeFrame, formatProblem } from '../../../src/lib/errors/problem.js';

describe('formatProblem', () => {
  const problem = { file: 'a.yaml', line: 3, column: 7, path: 'task.prompt', message: 'missing' };

  it('begins with a place that editors can jump to', () => {
    expect(formatProblem(problem)).toBe('a.yaml:3:7 task.prompt: missing');
  });

  it('leaves out an empty path', () => {
    expect(formatProblem({ ...problem, path: '' })).toBe('a.yaml:3:7 missing');
  });
});

describe('codeFrame', () => {
  const text = Array.from({ length: 12 }, (_, index) => `line ${index + 1}`).join('\n');

  it('shows two lines around the line, and a caret', () => {
    expect(codeFrame(text, 10, 6)).toBe(
      ['   8 | line 8', '   9 | line 9', '> 10 | line 10', '     |      ^', '  11 | line 11', '  12 | line 12'].join(
        '\n',
      ),
    );
  });

  it('stops at both ends of the text', () => {
    expect(codeFrame('only', 1, 5)).toBe('> 1 | only\n    |     ^');
    expect(codeFrame('', 1, 1)).toBe('> 1 |\n    | ^');
  });

  it('keeps the caret in place after tabs, CRLF and escape sequences', () => {
    expect(codeFrame('\ta: \u001b[31m\r\nb', 1, 2)).toBe('> 1 |  a:  [31m\n    |  ^\n  2 | b');
  });

  it('does not cut a line that fits, even with a caret far to the right', () => {
    const line = `${'x'.repeat(99)}!`;
    expect(codeFrame(`first\n${line}`, 2, 100)).toBe(`  1 | first\n> 2 | ${line}\n    | ${' '.repeat(99)}^`);
  });

  it('cuts a long line around the caret', () => {
    const [shown = '', caret = ''] = codeFrame(`${'x'.repeat(500)}!${'y'.repeat(500)}`, 1, 501).split('\n');
    expect(shown.length).toBeLessThan(140);
    expect(shown[caret.indexOf('^')]).toBe('!');
  });
});
