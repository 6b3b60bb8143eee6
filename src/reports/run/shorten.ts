import { beginningOf, plainText } from '#lib';

/** The most that is shown of an output, of each of its lines, and of the input of a tool. */
export interface ShownLimits {
  lines: number;
  line: number;
  input: number;
}

export const SHORT: ShownLimits = { lines: 60, line: 2000, input: 300 };
export const WHOLE: ShownLimits = { lines: Infinity, line: Infinity, input: Infinity };

const more = (count: number, what: string): string => `... ${count} more ${what}${count === 1 ? '' : 's'}`;

function cut(line: string, most: number): string {
  return line.length <= most ? line : line.slice(0, most) + more(line.length - most, 'character');
}

function countLines(text: string, from: number): number {
  let count = 1;
  for (let at = text.indexOf('\n', from); at !== -1; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

/** Returns the first lines of an output, indented and cut, and how many more there were; '' if it is empty. */
export function indentedOutput(output: string, limits: ShownLimits): string {
  const text = plainText(output).replace(/\n$/, '');
  if (text === '') return '';
  const lines: string[] = [];
  let start = 0;
  while (start <= text.length && lines.length < limits.lines) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline;
    lines.push(cut(text.slice(start, end), limits.line));
    start = end + 1;
  }
  if (start <= text.length) lines.push(more(countLines(text, start), 'line'));
  return lines.map((line) => `    ${line}\n`).join('');
}

/** Formats a command after a prompt. Further lines are aligned with the first. */
export function promptedCommand(command: string, limits: ShownLimits): string {
  return `$${indentedOutput(command, limits).slice(3).replaceAll('\n    ', '\n  ') || '\n'}`;
}

/** Formats the input of a tool call as the beginning of its JSON, on one line. */
export function shortInput(input: unknown, { input: most }: ShownLimits): string {
  const json = plainText(JSON.stringify(input));
  return json.length <= most ? json : `${json.slice(0, most)}... (${json.length} characters)`;
}

/** The most characters of one text that `show <run>` prints, even with `--all`. */
export const MAX_TEXT_LENGTH = 16 * 1024;

/** Returns a text or, if it is longer than anybody reads in a terminal, its beginning and where the rest is. */
export function readableText(text: string, file: string): string {
  const left = text.length - MAX_TEXT_LENGTH;
  if (left <= 0) return text;
  return `${beginningOf(text, MAX_TEXT_LENGTH)}\n… ${left.toLocaleString('en')} more characters are in ${file}`;
}
