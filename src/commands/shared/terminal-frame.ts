import { logUpdateStderr } from 'log-update';
import { textWidth } from '../../lib/format/table.js';

/** Lines at the end of the terminal that are redrawn in place. */
export interface TerminalFrame {
  size(): { width: number; height: number };
  draw(text: string): void;
  clear(): void;
}

/** A terminal may not know its size, or report 0. */
const COLUMNS = 80;
const ROWS = 24;

/** The frame of stderr. A terminal that becomes narrower wraps the lines that were drawn, so all of these are erased. */
export function terminalFrame(): TerminalFrame {
  const { stderr } = process;
  let drawn: { text: string; width: number } | null = null;
  const columns = (): number => stderr.columns || COLUMNS;
  return {
    size: () => ({ width: columns(), height: (stderr.rows || ROWS) - 1 }),
    draw(text) {
      if (drawn !== null && drawn.width !== columns()) {
        stderr.write(`\r\x1b[${wrappedRows(drawn.text, columns())}A\x1b[J`);
        logUpdateStderr.done();
      }
      logUpdateStderr(text);
      drawn = { text, width: columns() };
    },
    clear() {
      logUpdateStderr.clear();
      logUpdateStderr.done();
    },
  };
}

/** How many rows of a terminal these lines take. */
const wrappedRows = (text: string, columns: number): number =>
  text
    .split('\n')
    .reduce((rows, line) => rows + Math.max(1, Math.ceil(textWidth(line) / Math.max(1, columns))), 0);
