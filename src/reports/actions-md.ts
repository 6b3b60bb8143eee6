import { beginningOf, endOf } from '#lib';
import { type Action, type ActionLog, hasFailed, type Metrics } from '#model';
import { actionCounts, actionEnd, actionText, whyNoActions } from './action-text.js';
import { code, fence } from './markdown.js';

const MOST_ACTIONS = 200;
const MOST_OUTPUTS = 20;
const COMMAND_LENGTH = 500;
const OUTPUT_LENGTH = 1000;
const ANSWER_LENGTH = 4000;

/** What an agent did: its commands with their exit codes, the output of those that failed, and its last message. */
export function actionsSection(log: ActionLog, { efficiency }: Metrics): string {
  const { actions, more, answer, isText } = log;
  const why = whyNoActions(log, efficiency?.total_commands ?? null);
  const shown = actions.slice(0, MOST_ACTIONS);
  const left = actions.length + more - shown.length;
  const failed = [...shown.entries()].filter(([, action]) => action.output !== '').slice(0, MOST_OUTPUTS);
  return [
    ...(why === null ? [`${actionCounts(log)}.`, shown.map(actionItem).join('\n')] : [why]),
    ...(left === 0 ? [] : [`${left} more are in artifacts/transcript.human.txt.`]),
    ...failed.flatMap(([at, { output }]) => [
      `Output of number ${at + 1}:`,
      fence(beginningOf(output, OUTPUT_LENGTH)),
    ]),
    ...(answer === null
      ? []
      : isText
        ? ['Its output:', fence(endOf(answer, ANSWER_LENGTH))]
        : ['Its last message:', fence(beginningOf(answer, ANSWER_LENGTH))]),
  ].join('\n\n');
}

const actionItem = (action: Action, at: number): string =>
  `${at + 1}. ${hasFailed(action) ? '**Failed:** ' : ''}${code(beginningOf(actionText(action), COMMAND_LENGTH))}: ${actionEnd(action)}`;
