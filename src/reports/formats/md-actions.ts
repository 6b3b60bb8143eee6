import type { SweepCell } from '#decide';
import { beginningOf, endOf } from '#lib';
import type { Action, ActionLog } from '#model';
import { actionCounts, actionEnd, actionText, whyNoActions } from '../action-text.js';
import { code, inline, list } from '../markdown.js';
import type { ReportedCell } from './sweep-report.js';

/* Comments on GitHub have at most 65,536 characters. These limits leave room for the rest of the report. */
const MOST_RUNS = 10;
/** Of the first, and of the last actions of a run. */
const MOST_ACTIONS = 5;
const COMMAND_LENGTH = 160;
const ANSWER_LENGTH = 400;

/** What the agents of failed runs did, in a collapsed block: their first and last commands, and the last message. */
export function actionBlocks(
  failed: readonly ReportedCell[],
  nameOf: (cell: SweepCell) => string[],
  most: number,
): string[] {
  const known = failed.flatMap(({ cell, records }) =>
    records?.actionLog == null
      ? []
      : [{ cell, actionLog: records.actionLog, calls: records.metrics.efficiency?.total_commands }],
  );
  const shown = known.slice(0, Math.min(most, MOST_RUNS));
  const left = known.length - shown.length;
  if (shown.length === 0) return [];
  return [
    '<details>\n<summary>What the agents did in these runs</summary>',
    ...shown.flatMap(({ cell, actionLog, calls = null }) => [
      `**${inline(nameOf(cell).join(' '))}**`,
      ...(typeof actionLog === 'string' ? [inline(actionLog)] : actionBlock(actionLog, calls)),
    ]),
    ...(left === 0 ? [] : [`_${left} more runs not shown; each has a report of its own._`]),
    '</details>',
  ];
}

function actionBlock(actionLog: ActionLog, calls: number | null): string[] {
  const { actions, more, answer, isText } = actionLog;
  const why = whyNoActions(actionLog, calls);
  const left = actions.length + more - 2 * MOST_ACTIONS;
  const items =
    left <= 0
      ? actions.map(item)
      : [
          ...actions.slice(0, MOST_ACTIONS).map(item),
          `_${left} more_`,
          ...actions.slice(-MOST_ACTIONS).map(item),
        ];
  return [
    ...(why === null ? [`${actionCounts(actionLog)}:`, list(items)] : [why]),
    ...(answer === null
      ? []
      : [
          isText
            ? `Output: ${inline(endOf(answer, ANSWER_LENGTH))}`
            : `Last message: ${inline(beginningOf(answer, ANSWER_LENGTH))}`,
        ]),
  ];
}

const item = (action: Action): string =>
  `${code(beginningOf(actionText(action), COMMAND_LENGTH))}: ${actionEnd(action)}`;
