import { renderTable } from '#lib';
import { inline, table } from './markdown.js';
import type { Colors, TextOptions } from './terminal.js';

/** A table before it is laid out. Its texts are harmless in a terminal, and may have colours. */
export interface Grid {
  title?: string;
  /** Headings; without any, a terminal shows none. */
  columns?: readonly string[];
  rows: readonly (readonly string[])[];
  /** Columns aligned to the right in a terminal. */
  right?: readonly number[];
  /** Columns that a terminal never cuts. */
  whole?: readonly number[];
  indent?: string;
  /** Lines below the table. */
  notes?: readonly string[];
}

/** Lays out a table for a terminal. A table without rows is left out. */
export function gridText(
  { title, columns, rows, right, whole, indent, notes = [] }: Grid,
  { width }: Pick<TextOptions, 'width'>,
  colors: Colors,
): string[] {
  if (rows.length === 0) return [];
  const heading = columns === undefined ? [] : [columns.map((column) => colors.dim(column))];
  return [
    ...(title === undefined ? [] : [title]),
    ...renderTable([...heading, ...rows], {
      width,
      ...(right === undefined ? {} : { right }),
      ...(whole === undefined ? {} : { whole }),
      ...(indent === undefined ? {} : { indent }),
    }),
    ...notes.map((note) => colors.dim(note)),
  ];
}

/** Lays out a table as Markdown; null without rows. Its texts must have no colours. */
export function gridMarkdown({ title, columns = [], rows, notes = [] }: Grid): string | null {
  const [first] = rows;
  if (first === undefined) return null;
  const heading = first.map((_, at) => inline(columns[at] ?? ''));
  return [
    ...(title === undefined ? [] : [`**${inline(title)}**`]),
    table(
      heading,
      rows.map((row) => row.map(inline)),
    ),
    ...notes.map((note) => `_${inline(note.trim())}_`),
  ].join('\n\n');
}
