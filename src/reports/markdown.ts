import { stripVTControlCharacters } from 'node:util';

/** Text from outside as one line of markdown that shows exactly that text, in a paragraph, list item or heading. */
export function inline(text: string): string {
  return (
    oneLine(text)
      .replace(/[\\`*[\]~|#]/g, '\\$&')
      .replace(/&(?=#?\w+;)/g, '&amp;')
      .replace(/</g, '&lt;')
      .replace(/^>/, '&gt;')
      // Inside words `_` means nothing, and names of gates stay readable in the source.
      .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\_')
      // What would begin a list, a heading underline or a thematic break.
      .replace(/^([-+=])(?=\s|$|\1)/, '\\$&')
      .replace(/^(\d+)([.)])(?=\s|$)/, '$1\\$2')
  );
}

/** Text from outside as a code span; longer delimiters than any backticks inside. Not for tables. */
export function code(text: string): string {
  const line = oneLine(text);
  if (line === '') return '(empty)';
  const marks = '`'.repeat(longestRun(line) + 1);
  const pad = line.startsWith('`') || line.endsWith('`') ? ' ' : '';
  return marks + pad + line + pad + marks;
}

/** Text from outside as a code block whose fence no line of the text can close. */
export function fence(text: string, info = ''): string {
  const body = block(text).replace(/\n+$/, '');
  const marks = '`'.repeat(Math.max(3, longestRun(body) + 1));
  return `${marks}${info}\n${body}\n${marks}`;
}

/**
 * A table. The cells are markdown: `inline` for text from outside. Code spans stay out of tables,
 * because parsers disagree on a backslash before a pipe inside them.
 */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [header, header.map(() => '---'), ...rows].map(line).join('\n');
}

/** A heading; `markdown` has been escaped already. */
export function heading(level: number, markdown: string): string {
  return `${'#'.repeat(level)} ${markdown}`;
}

/** A bullet list; the items have been escaped already. */
export function list(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join('\n');
}

/** A link to a path relative to the file; only for paths of ours. */
export function link(path: string): string {
  return `[${path}](${path})`;
}

/** Blocks as one document; what is null is left out. */
export function blocks(parts: readonly (string | null)[]): string {
  return `${parts.filter((part) => part !== null).join('\n\n')}\n`;
}

function block(text: string): string {
  return stripVTControlCharacters(text)
    .replace(/\r\n?|[\u2028\u2029]/g, '\n')
    .replace(/[^\P{Cc}\n\t]/gu, '\uFFFD');
}

function oneLine(text: string): string {
  return block(text).replace(/\s+/g, ' ').trim();
}

function longestRun(text: string): number {
  return (text.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0);
}
