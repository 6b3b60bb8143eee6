import { stripVTControlCharacters } from 'node:util';
import type { Grid } from './terminal.js';

/** Escapes foreign text: one line of markdown that shows exactly that text, in a paragraph, list item or heading. */
export function inline(text: string): string {
  return (
    oneLine(text)
      .replace(/[\\`*[\]~|#]/g, '\\$&')
      .replace(/&(?=#?\w+;)/g, '&amp;')
      .replace(/</g, '&lt;')
      .replace(/^>/, '&gt;')
      // Inside words `_` has no meaning; unescaped, names of gates stay readable in the source.
      .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\_')
      // These would begin a list, a heading underline or a thematic break.
      .replace(/^([-+=])(?=\s|$|\1)/, '\\$&')
      .replace(/^(\d+)([.)])(?=\s|$)/, '$1\\$2')
  );
}

/** Formats foreign text as a code span, with more backticks around it than in it. Not for tables. */
export function code(text: string): string {
  const line = oneLine(text);
  if (line === '') return '(empty)';
  const marks = '`'.repeat(longestRun(line) + 1);
  const pad = line.startsWith('`') || line.endsWith('`') ? ' ' : '';
  return marks + pad + line + pad + marks;
}

/** Formats foreign text as a code block. Its fence is longer than any run of backticks in the text. */
export function fence(text: string, info = ''): string {
  const body = block(text).replace(/\n+$/, '');
  const marks = '`'.repeat(Math.max(3, longestRun(body) + 1));
  return `${marks}${info}\n${body}\n${marks}`;
}

/**
 * Formats a table. The cells are markdown: use `inline` for foreign text. Do not put code spans in tables, because
 * parsers disagree about a backslash before a pipe in them.
 */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [header, header.map(() => '---'), ...rows].map(line).join('\n');
}

/** Formats a heading. `markdown` must be escaped already. */
export function heading(level: number, markdown: string): string {
  return `${'#'.repeat(level)} ${markdown}`;
}

/** Formats a bullet list. The items must be escaped already. */
export function list(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join('\n');
}

/** Formats a link to a path relative to the file. Does not escape, so it is only for our own paths. */
export function link(path: string): string {
  return `[${path}](${path})`;
}

/** Joins blocks into a document. Skips null and tables without rows. */
export const blocks = (parts: readonly (string | Grid | null)[]): string =>
  `${parts
    .map((part) => (part === null || typeof part === 'string' ? part : gridMarkdown(part)))
    .filter((part) => part !== null)
    .join('\n\n')}\n`;

function gridMarkdown({ title, columns = [], rows, notes = [] }: Grid): string | null {
  const [first] = rows;
  if (first === undefined) return null;
  return [
    ...(title === undefined ? [] : [`**${inline(title)}**`]),
    table(
      first.map((_, at) => inline(columns[at] ?? '')),
      rows.map((row) => row.map(inline)),
    ),
    ...notes.map((note) => `_${inline(note.trim())}_`),
  ].join('\n\n');
}

/** Formats a bullet list of foreign texts; null without any. */
export const bullets = (lines: readonly string[]): string | null =>
  lines.length === 0 ? null : list(lines.map((line) => inline(line.trim())));

/** Formats foreign texts as quotations; null without any. */
export const quotes = (lines: readonly string[]): string | null =>
  lines.length === 0 ? null : lines.map((line) => `> ${inline(line)}`).join('\n>\n');

function block(text: string): string {
  return stripVTControlCharacters(text)
    .replace(/[\u202A-\u202E\u2066-\u2069]/g, '')
    .replace(/\r\n?|[\u2028\u2029]/g, '\n')
    .replace(/[^\P{Cc}\n\t]/gu, '\uFFFD');
}

function oneLine(text: string): string {
  return block(text).replace(/\s+/g, ' ').trim();
}

function longestRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0);
}
