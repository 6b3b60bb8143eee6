import { dirname } from 'node:path';
import { invocation } from '#host';
import { cellLabel } from '#model';
import type { SweepCell, SweepDocument } from './documents.js';
import { readRun } from './read-run.js';

/** Says why a cell did not pass, with its gates and the command that shows more; null if it passed. */
export async function failureOf(cell: SweepCell): Promise<string | null> {
  if (cell.outcome === 'pass') return null;
  const reason = cell.message === null ? '' : `: ${cell.message}`;
  const head = `${cellLabel(cell)}: ${cell.outcome ?? 'not run'}${reason}`;
  if (cell.results_dir === null) return head;
  const { metrics } = await readRun(dirname(cell.results_dir), cell);
  const gates = metrics.details
    .filter(({ passed }) => !passed)
    .map(({ gate_type, name, subject, message }) => `  ${[gate_type, name ?? subject].join(' ').trim()}: ${message}`);
  return [head, ...gates, `  ${invocation()} show ${metrics.run_id}`].join('\n');
}

/** Says why cells of a sweep did not pass; empty if all passed. */
export async function failuresOf({ cells }: SweepDocument): Promise<string[]> {
  const texts: string[] = [];
  for (const cell of cells) texts.push((await failureOf(cell)) ?? '');
  return texts.filter((text) => text !== '');
}
