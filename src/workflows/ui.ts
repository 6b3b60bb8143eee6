import { defineSearchAttributeKey, SearchAttributeType, type SearchAttributePair } from '@temporalio/common';
import type { Activities } from '../activities/index.js';
import type { Cell } from '../results/cell.js';
import type { RunResult, SweepProgress } from './protocol.js';

/** Names of the activities, as the server and its Web UI show them. */
export type StepName = keyof Activities;

/** What Temporal's Web UI shows of our workflows beyond their histories. */
export interface StepLine {
  step: string;
  summary: string;
  status: 'running' | 'done' | 'failed';
}

/** Temporal takes summaries of up to 400 bytes; names in them may have any length. */
const SUMMARY_LENGTH = 120;
export const summaryOf = (title: string): string =>
  title.length > SUMMARY_LENGTH ? `${title.slice(0, SUMMARY_LENGTH - 1)}…` : title;

const MARKS = { running: '▶', done: '✓', failed: '✗' } as const;
const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ');

/** Current details of a run: its steps so far as a table. */
export function runDetails(lines: readonly StepLine[]): string {
  const rows = lines.map((line) => `| ${MARKS[line.status]} | ${line.step} | ${cell(line.summary)} |`);
  return ['| | step | |', '|---|---|---|', ...rows].join('\n');
}

/** Current details of a sweep: counts, and the runs that are open. */
export function sweepDetails(progress: SweepProgress): string {
  const { counts, active, total, status } = progress;
  const finished = counts.pass + counts.fail + counts.error + counts.cancelled;
  return [
    '| status | cells | passed | failed | error | cancelled | running | waiting |',
    '|---|---|---|---|---|---|---|---|',
    `| ${[status, total, counts.pass, counts.fail, counts.error, counts.cancelled, active.length, total - finished - active.length].join(' | ')} |`,
    ...(progress.maxUsd === undefined
      ? []
      : ['', `$${progress.spentUsd ?? 0} of $${progress.maxUsd} spent, as far as costs are known`]),
    ...(progress.limits ?? []).flatMap(({ provider, until }) => [
      '',
      `${provider}: limit reached; its cells wait until ${new Date(until).toISOString()} (\`retry --now\` does not wait)`,
    ]),
    ...(active.length === 0
      ? []
      : ['', '| running |', '|---|', ...active.map((run) => `| ${cell(run.cell)} |`)]),
  ].join('\n');
}

const keyword = (name: string) => defineSearchAttributeKey(name, SearchAttributeType.KEYWORD);
export const SWEEP_ID = keyword('SweepId');
const SCENARIO = keyword('Scenario');
const AGENT = keyword('Agent');
const MODEL = keyword('Model');
const OUTCOME = keyword('Outcome');
const COST_USD = defineSearchAttributeKey('CostUsd', SearchAttributeType.DOUBLE);
const REPETITION = defineSearchAttributeKey('Rep', SearchAttributeType.INT);

export const cellAttributes = (sweep: string, of: Cell): SearchAttributePair[] => [
  { key: SWEEP_ID, value: sweep },
  { key: SCENARIO, value: of.scenario },
  { key: AGENT, value: of.agent },
  { key: MODEL, value: of.model },
  { key: REPETITION, value: of.repetition },
];

export const attributesOf = (result: RunResult): SearchAttributePair[] => [
  { key: OUTCOME, value: result.outcome },
  ...(result.costUsd === null ? [] : [{ key: COST_USD, value: result.costUsd }]),
];
