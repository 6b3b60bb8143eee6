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

/** The first lines of an output, indented, each at most so long, and how many more there were. '' for an empty one. */
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

/** A command after its prompt; the further lines of a long one are aligned under the first. */
export function promptedCommand(command: string): string {
  return `$${indentedOutput(command).slice(3).replaceAll('\n    ', '\n  ') || '\n'}`;
}

/** The input of a tool call as the start of its JSON, on one line. */
export function shortInput(input: unknown): string {
  const json = plainText(JSON.stringify(input));
  return json.length <= MAX_INPUT ? json : `${json.slice(0, MAX_INPUT)}... (${json.length} characters)`;
}
