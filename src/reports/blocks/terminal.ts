import { stripVTControlCharacters } from 'node:util';
import pc from 'picocolors';
import type { Paid } from '#decide';
import { formatCost, renderTable, terminalText } from '#lib';
import type { Outcome } from '#model';

/** The layout of text for a terminal. */
export interface TextOptions {
  color: boolean;
  /** Columns of the terminal. */
  width: number;
  /** Shortens a path. Absent: paths are shown as they are. */
  showPath?: (path: string) => string;
}

/** Always on: the printers take colours away where there must be none. */
export const colors = pc.createColors(true);

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

/** Lines and tables that belong together. */
export type Block = readonly (string | Grid)[];

/** Prints blocks for a terminal, with an empty line between them. Blocks without lines are left out. */
export const printText = (blocks: readonly Block[], options: TextOptions): string =>
  painted(
    blocks
      .map((block) => block.flatMap((part) => (typeof part === 'string' ? [part] : gridText(part, options))))
      .filter((lines) => lines.length > 0)
      .map((lines) => lines.join('\n'))
      .join('\n\n'),
    options,
  );

/** Ends a text, and takes its colours away unless they are wanted. */
export const painted = (text: string, { color }: Pick<TextOptions, 'color'>): string =>
  `${color ? text : stripVTControlCharacters(text).replace(/ +$/gm, '')}\n`;

/** Lays out a table for a terminal. A table without rows is left out. */
export function gridText(
  { title, columns, rows, notes = [], ...layout }: Grid,
  { width }: Pick<TextOptions, 'width'>,
): string[] {
  if (rows.length === 0) return [];
  const heading = columns === undefined ? [] : [columns.map(colors.dim)];
  const lines = renderTable([...heading, ...rows], { width, ...layout });
  return [...(title === undefined ? [] : [title]), ...lines, ...notes.map(colors.dim)];
}

type Mark = Outcome | 'done' | 'failed' | 'not_performed' | null;

/** Formats an outcome or state as a coloured mark and word. null: there is no outcome yet. */
export function mark(state: Mark): string {
  switch (state) {
    case 'pass':
    case 'done':
      return colors.green(`✓ ${state}`);
    case 'fail':
    case 'failed':
      return colors.red(`✗ ${state}`);
    case 'error':
      return colors.magenta('! error');
    case 'cancelled':
      return colors.yellow('- cancelled');
    case 'not_performed':
      return colors.dim('- not performed');
    case null:
      return colors.dim('· waiting');
  }
}

/** Formats a cost: "$1.20", or ">$1.20" if more was paid but the amount is unknown. */
export function paidText({ usd, unknown }: Paid): string {
  if (usd === null) return formatCost(unknown === 0 ? 0 : null);
  return `${unknown > 0 ? '>' : ''}${formatCost(usd)}`;
}

/** Formats a path. */
export const pathText = (path: string, { showPath = (whole) => whole }: TextOptions): string =>
  terminalText(showPath(path));
