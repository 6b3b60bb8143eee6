import type { Position } from '#input';

/** A field of a row, and where it begins. */
interface Cell {
  text: string;
  at: Position;
}

type ParsedCsv = { ok: true; rows: Cell[][] } | { ok: false; problem: Position & { message: string } };

/** Parses CSV (RFC 4180), with line breaks of either kind. Empty lines are skipped. Lines and columns count from 1. */
export function parseCsv(raw: string): ParsedCsv {
  const text = raw.replace(/^\uFEFF/, '');
  const rows: Cell[][] = [];
  let row: Cell[] = [];
  let [line, lineStart, at] = [1, 0, 0];
  const here = (): Position => ({ line, column: at - lineStart + 1 });
  const endRow = (): void => {
    if (row.length > 1 || row[0]?.text !== '') rows.push(row);
    row = [];
  };
  while (at <= text.length) {
    const start = here();
    let cell = '';
    if (text[at] === '"') {
      for (at += 1; ; at += 1) {
        const sign = text[at];
        if (sign === undefined) return { ok: false, problem: { ...start, message: 'a quote is not closed' } };
        if (sign === '"' && text[at + 1] !== '"') break;
        if (sign === '"') at += 1;
        cell += sign;
        if (sign === '\n') [line, lineStart] = [line + 1, at + 1];
      }
      at += 1;
      if (at < text.length && !/[,\r\n]/.test(text[at] ?? ''))
        return {
          ok: false,
          problem: { ...here(), message: 'expected a comma or the end of the line after a quote' },
        };
    } else {
      const end = /[,\r\n]|$/.exec(text.slice(at))?.index ?? 0;
      cell = text.slice(at, at + end);
      at += end;
    }
    row.push({ text: cell, at: start });
    if (text[at] === ',') {
      at += 1;
      continue;
    }
    endRow();
    if (text[at] === '\r' && text[at + 1] === '\n') at += 1;
    at += 1;
    [line, lineStart] = [line + 1, at];
  }
  return { ok: true, rows };
}
