import { renderTable, terminalText } from '#lib';
import type { AuditEntry } from '#model';
import { colors, printText, type TextOptions } from '../blocks/terminal.js';

/** Renders who did what, in the order given. `older` is the number of entries that are not shown. */
export function renderAudit(entries: readonly AuditEntry[], older: number, options: TextOptions): string {
  const rows = entries.map(({ at, who, verb, sweep, schedule, older_than: age }) => [
    at.slice(0, 'YYYY-MM-DDThh:mm:ss'.length).replace('T', ' '),
    who === null ? colors.dim('unknown') : terminalText(who),
    verb,
    [
      ...(schedule === undefined ? [] : [`schedule ${terminalText(schedule)}`]),
      ...(sweep === undefined ? [] : [terminalText(sweep)]),
      ...(age === undefined ? [] : [`older than ${terminalText(age)}`]),
    ].join(' · '),
  ]);
  return printText(
    [
      renderTable(rows, { width: options.width }),
      older > 0 ? [colors.dim(`${older} older; show all with --limit ${entries.length + older}`)] : [],
    ],
    options,
  );
}
