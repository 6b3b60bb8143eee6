import { plainText } from '../lib/format/plain-text.js';

const MAX_LINES = 60;
const MAX_LINE = 2000;
const MAX_INPUT = 300;

const more = (count: number, what: string): string => `... ${count} more ${what}${count === 1 ? '' : 's'}`;

function cut(line: string): string {
  return line.length <= MAX_LINE ? line : line.slice(0, MAX_LINE) + more(line.length - MAX_LINE, 'character');
}

function countLines(text: string, from: number): number {
  let count = 1;
  for (let at = text.indexOf('\n', from); at !== -1; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

/** Returns the first lines of an output, indented and cut, and how many more there were; '' if it is empty. */
export function indentedOutput(output: string): string {
  const text = plainText(output).replace(/\n$/, '');
  if (text === '') return '';
  const lines: string[] = [];
  let start = 0;
  while (start <= text.length && lines.length < MAX_LINES) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline;
    lines.push(cut(text.slice(start, end)));
    start = end + 1;
  }
  if (start <= text.length) lines.push(more(countLines(text, start), 'line'));
  return lines.map((line) => `    ${line}\n`).join('');
}

/** Formats a command after a prompt. Further lines are aligned with the first. */
export function promptedCommand(command: string): string {
  return `$${indentedOutput(command).slice(3).replaceAll('\n    ', '\n  ') || '\n'}`;
}

/** Formats the input of a tool call as the beginning of its JSON, on one line. */
export function shortInput(input: unknown): string {
  const json = plainText(JSON.stringify(input));
  return json.length <= MAX_INPUT ? json : `${json.slice(0, MAX_INPUT)}... (${json.length} characters)`;
}
