import type pc from 'picocolors';
import type { Paid } from '#decide';
import { formatCost, terminalText } from '#lib';
import type { Outcome } from '#model';

/** The layout of text for a terminal. */
export interface TextOptions {
  color: boolean;
  /** Columns of the terminal. */
  width: number;
  /** Shortens a path. Absent: paths are shown as they are. */
  showPath?: (path: string) => string;
}

export type Colors = ReturnType<typeof pc.createColors>;
type Mark = Outcome | 'done' | 'failed' | 'not_performed' | null;

/** Formats an outcome or state as a coloured mark and word. null: there is no outcome yet. */
export function mark(state: Mark, colors: Colors): string {
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

/** Joins blocks of lines with an empty line between them. Blocks without lines are left out. */
export const joinBlocks = (blocks: readonly (readonly string[])[]): string =>
  `${blocks
    .filter((block) => block.length > 0)
    .map((block) => block.join('\n'))
    .join('\n\n')}\n`;
