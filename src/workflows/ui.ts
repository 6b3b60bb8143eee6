import { defineSearchAttributeKey, type SearchAttributePair } from '@temporalio/common';
import { decisionText, progressText } from '#decide/pure';
import { beginningOf, messageOf, SEARCH_ATTRIBUTES } from '#lib/pure';
import type { Cell } from '#model';
import { SWEEP_ID, type RunResult, type SweepProgress } from '#protocol';

// Details of our workflows that Temporal's Web UI shows in addition to their histories.

/** A step of a run that has begun or ended. */
export interface StepLine {
  step: string;
  summary: string;
  status: 'running' | 'done' | 'failed';
}

/** Temporal limits summaries to 400 bytes; names in them may have any length. */
const SUMMARY_LENGTH = 120;
export const summaryOf = (title: string): string => beginningOf(title, SUMMARY_LENGTH);

const MARKS = { running: '▶', done: '✓', failed: '✗' } as const;
const tableText = (text: string): string => text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ');

/** Current details of a run: its result if it has one, what it cannot do, and a table of its steps so far. */
export function runDetails(
  lines: readonly StepLine[],
  troubles: ReadonlyMap<string, string>,
  result: RunResult | null,
): string {
  const rows = lines.map((line) => `| ${MARKS[line.status]} | ${line.step} | ${tableText(line.summary)} |`);
  return [
    ...(result === null ? [] : [`**${result.outcome}**: ${tableText(result.message)}`, '']),
    ...[...troubles].flatMap(([what, message]) => [troubleText({ what, message }), '']),
    ...['| | step | |', '|---|---|---|', ...rows],
  ].join('\n');
}

export const troubleText = ({ what, message }: { what: string; message: string }): string =>
  `**cannot ${what}**, and tries again: ${tableText(message)}`;

/** Current details of a sweep: counts, costs, limits and open runs. */
export function sweepDetails(progress: SweepProgress): string {
  const { counts, active, total, status } = progress;
  const finished = counts.pass + counts.fail + counts.error + counts.cancelled;
  return [
    '| status | cells | passed | failed | error | cancelled | running | waiting |',
    '|---|---|---|---|---|---|---|---|',
    `| ${[status, total, counts.pass, counts.fail, counts.error, counts.cancelled, active.length, total - finished - active.length].join(' | ')} |`,
    ...(progress.decision === undefined
      ? []
      : ['', `**${decisionText(progress.decision)}**`, '', progressText(progress.decision)]),
    ...(progress.maxUsd === undefined
      ? []
      : ['', `$${progress.spentUsd ?? 0} of $${progress.maxUsd} spent, as far as costs are known`]),
    ...(progress.month === undefined
      ? []
      : ['', `its owner has spent $${progress.month.spentUsd} of $${progress.month.maxUsd} in ${progress.month.name}`]),
    ...(progress.troubles ?? []).flatMap((trouble) => ['', troubleText(trouble)]),
    ...(progress.limits ?? []).flatMap(({ provider, account, until }) => [
      '',
      `${account ?? provider}: limit reached; its cells wait until ${new Date(until).toISOString()} (skip the wait with \`retry --now\`)`,
    ]),
    ...(active.length === 0 ? [] : ['', '| running |', '|---|', ...active.map((run) => `| ${tableText(run.cell)} |`)]),
    ...((progress.parked ?? []).length === 0
      ? []
      : [
          '',
          '| waiting for its provider | until | reason |',
          '|---|---|---|',
          ...(progress.parked ?? []).map(
            ({ cell, until, message = '' }) =>
              `| ${tableText(cell)} | ${new Date(until).toISOString()} | ${tableText(message)} |`,
          ),
        ]),
  ].join('\n');
}

const attribute = <Name extends keyof typeof SEARCH_ATTRIBUTES>(name: Name) =>
  defineSearchAttributeKey(name, SEARCH_ATTRIBUTES[name]);
const SCENARIO = attribute('Scenario');
const AGENT = attribute('Agent');
const MODEL = attribute('Model');
const VARIANT = attribute('Variant');
const OUTCOME = attribute('Outcome');
const COST_USD = attribute('CostUsd');
const REPETITION = attribute('Rep');

export const cellAttributes = (sweep: string, of: Cell): SearchAttributePair[] => [
  { key: SWEEP_ID, value: sweep },
  { key: SCENARIO, value: of.scenario },
  { key: AGENT, value: of.agent },
  { key: MODEL, value: of.model },
  { key: VARIANT, value: of.variant },
  { key: REPETITION, value: of.repetition },
  { key: OUTCOME, value: 'running' },
];

type Decision = NonNullable<SweepProgress['decision']>;

/** The memo of a sweep that runs until its verdict is clear. */
export const decisionMemo = (decision: Decision): { decision: string; progress: string } => ({
  decision: decisionText(decision),
  progress: progressText(decision),
});

/** Its verdict so far, for lists of workflows. */
export const decisionAttributes = ({ verdict }: Pick<Decision, 'verdict'>): SearchAttributePair[] => [
  { key: OUTCOME, value: verdict },
];

export const attributesOf = (result: RunResult): SearchAttributePair[] => [
  { key: OUTCOME, value: result.outcome },
  ...(result.costUsd === null ? [] : [{ key: COST_USD, value: result.costUsd }]),
];

/** Long enough to understand, short enough to cross Temporal again. The full text is in the history. */
const MESSAGE_LENGTH = 300;

/** Message of the root cause, shortened. Temporal's own wrappers say only that something failed. */
export function rootCauseMessage(error: unknown): string {
  let cause = error;
  while (cause instanceof Error && cause.cause instanceof Error) cause = cause.cause;
  const message = messageOf(cause);
  return beginningOf(message, MESSAGE_LENGTH);
}
