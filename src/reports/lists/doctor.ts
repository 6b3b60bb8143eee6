import { colors, painted } from '../blocks/terminal.js';
import { type Json, renderTable, terminalText } from '#lib';

export type CheckStatus = 'ok' | 'warning' | 'problem' | 'info';

/** The result of a check, and what the user can do about it. */
export interface Finding {
  status: CheckStatus;
  message: string;
  remedy?: string;
  /** The same in a form for programs. */
  detail?: Json;
}

/** A finding, with the name of what was checked. */
export interface DoctorRow extends Finding {
  name: string;
}

const MARKS = { ok: '✓', warning: '!', problem: '✗', info: '·' } as const;

/** Renders `doctor`: a row per check, its remedy below it, and the number of problems. Nothing is cut. */
export function renderDoctor(checks: readonly DoctorRow[], options: { color: boolean }): string {
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
  return painted([...lines, '', summary(checks)].join('\n'), options);
}

function summary(checks: readonly DoctorRow[]): string {
  const counted = (status: CheckStatus): string => {
    const count = countByStatus(checks, status);
    return `${count === 0 ? 'no' : count} ${status}${count === 1 ? '' : 's'}`;
  };
  return `${counted('problem')}, ${counted('warning')}`;
}

export const countByStatus = (checks: readonly DoctorRow[], status: CheckStatus): number =>
  checks.filter((check) => check.status === status).length;
