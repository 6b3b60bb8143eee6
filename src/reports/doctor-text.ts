import pc from 'picocolors';
import type { Json } from '../lib/json.js';
import { renderTable, terminalText } from '../lib/format/table.js';

export type CheckStatus = 'ok' | 'warning' | 'problem' | 'info';

/** What a check has found, and what can be done about it. */
export interface Finding {
  status: CheckStatus;
  message: string;
  remedy?: string;
  /** The same for programs. */
  detail?: Json;
}

/** A finding with the name of what was looked at. */
export interface Check extends Finding {
  name: string;
}

const MARKS = { ok: '✓', warning: '!', problem: '✗', info: '·' } as const;

/** What `doctor` prints: a row a check, under it what to do, and how many are amiss. Nothing is cut: it is read once. */
export function renderDoctor(checks: readonly Check[], { color }: { color: boolean }): string {
  const colors = pc.createColors(color);
  const paint = { ok: colors.green, warning: colors.yellow, problem: colors.red, info: colors.dim } as const;
  const rows = renderTable(
    checks.map(({ status, name, message }) => [
      paint[status](MARKS[status]),
      colors.bold(terminalText(name)),
      terminalText(message),
    ]),
  );
  const lines = checks.flatMap(({ status, remedy }, at) => [
    rows[at] ?? '',
    ...(remedy === undefined ? [] : [`     ${paint[status]('→')} ${terminalText(remedy)}`]),
  ]);
  return `${[...lines, '', summary(checks)].join('\n')}\n`;
}

function summary(checks: readonly Check[]): string {
  const counted = (status: CheckStatus): string => {
    const count = countOf(checks, status);
    return `${count === 0 ? 'no' : count} ${status}${count === 1 ? '' : 's'}`;
  };
  return `${counted('problem')}, ${counted('warning')}`;
}

export const countOf = (checks: readonly Check[], status: CheckStatus): number =>
  checks.filter((check) => check.status === status).length;
