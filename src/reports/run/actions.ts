import type { SweepCell } from '#decide';
import { beginningOf, counted, endOf, renderTable, terminalText, truncate, wrap } from '#lib';
import { type Action, type ActionLog, hasFailed, type Metrics } from '#model';
import { MAX_ACTION_LOGS, type ReportedCell } from '../formats/sweep-report.js';
import { code, fence, inline, list } from '../blocks/markdown.js';
import { always, endItems, type Item, part, type Part } from '../blocks/screen.js';
import { colors } from '../blocks/terminal.js';

/** Formats how an action ended: "exit 2", "failed"; "exit n/a" if a command's exit code is unknown. */
function actionEnd({ command, end }: Action): string {
  if (end === null) return 'unfinished';
  if (end.exitCode !== null) return `exit ${end.exitCode}`;
  if (end.isError) return 'failed';
  return command === null ? 'done' : 'exit n/a';
}

/** Formats an action: the command, or the name of the tool and its input. */
const actionText = ({ command, tool, input }: Action): string => command ?? `${tool} ${input}`;

/** Counts actions: "5 commands, 3 other tool calls, 1 failed". */
function actionCounts({ actions, more }: ActionLog): string {
  const commands = actions.filter(({ command }) => command !== null).length;
  const others = actions.length - commands;
  const failed = actions.filter(hasFailed).length;
  const sign = more > 0 ? 'at least ' : '';
  return [
    ...(commands > 0 ? [`${sign}${counted(commands, 'command')}`] : []),
    ...(others > 0 ? [`${sign}${counted(others, commands > 0 ? 'other tool call' : 'tool call')}`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
  ].join(', ');
}

/** Says why there are no actions to show; null if there are some. */
function missingActionsReason({ actions, isText }: ActionLog, calls: number | null): string | null {
  if (actions.length > 0) return null;
  if (!isText) return 'The agent ran no commands and called no tools.';
  const found =
    calls === null
      ? ''
      : ` The target was called ${calls === 1 ? 'once' : `${calls} times`}, as far as the text shows.`;
  return `The agent printed text, so its commands are unknown.${found}`;
}

/** The first line of the output of a failed action that says something, for a place with a single line. */
const failureLine = ({ output }: Action): string =>
  output.split('\n').find((line) => line.trim() !== '' && !/^Exit code \d+$/.test(line.trim())) ?? '';

const MAX_ACTIONS = 200;
const MAX_OUTPUTS = 20;
const COMMAND_LENGTH = 500;
const OUTPUT_LENGTH = 1000;
const ANSWER_LENGTH = 4000;

/**
 * The actions of an agent: its commands with their exit codes, the output of those that failed, and its last message.
 */
export function actionsSection(log: ActionLog, { efficiency }: Metrics): string {
  const { actions, more, answer, isText } = log;
  const why = missingActionsReason(log, efficiency?.total_commands ?? null);
  const shown = actions.slice(0, MAX_ACTIONS);
  const left = actions.length + more - shown.length;
  const failed = [...shown.entries()].filter(([, action]) => action.output !== '').slice(0, MAX_OUTPUTS);
  return [
    ...(why === null ? [`${actionCounts(log)}.`, shown.map(actionItem).join('\n')] : [why]),
    ...(left === 0 ? [] : [`${left} more are in artifacts/transcript.human.txt.`]),
    ...failed.flatMap(([at, { output }]) => [`Output of number ${at + 1}:`, fence(beginningOf(output, OUTPUT_LENGTH))]),
    ...(answer === null
      ? []
      : isText
        ? ['Its output:', fence(endOf(answer, ANSWER_LENGTH))]
        : ['Its last message:', fence(beginningOf(answer, ANSWER_LENGTH))]),
  ].join('\n\n');
}

const actionItem = (action: Action, at: number): string =>
  `${at + 1}. ${hasFailed(action) ? '**Failed:** ' : ''}${code(beginningOf(actionText(action), COMMAND_LENGTH))}: ${actionEnd(action)}`;

/**
 * Renders what an agent did: its commands with their exit codes, a line each, and its last message. `calls`: those of
 * the target, for an agent that prints text; null: unknown.
 */
export function agentParts(log: ActionLog, width: number, calls: number | null): Part[] {
  const why = missingActionsReason(log, calls);
  return [
    why === null ? commandsPart(log, width) : always(['', colors.bold('commands'), ...indented(why, width)]),
    ...(log.answer === null ? [] : [answerPart(log, log.answer, width)]),
  ];
}

const indented = (text: string, width: number): string[] =>
  wrap(text, width - 2).map((line) => (line === '' ? '' : `  ${line}`));

function commandsPart(log: ActionLog, width: number): Part {
  const { actions, more } = log;
  const head = ['', truncate(colors.bold(actionCounts(log)), width)];
  const rows = renderTable(
    actions.map((action) => [colouredEnd(action), firstLine(action)]),
    { width, indent: '  ' },
  );
  const items = actions.map((action, index): Item => {
    const failure = terminalText(failureLine(action));
    const row = rows[index] ?? '';
    return failure === '' ? [row] : [row, colors.dim(truncate(`      ${failure}`, width))];
  });
  const rest: Item[] = more === 0 ? [] : [[truncate(`  … ${more} more are in artifacts/events.jsonl`, width)]];
  return {
    items: ['command', 'commands'],
    importance: 8,
    least: 5,
    // A call that failed is what the reader looks for.
    render: (room) =>
      endItems(
        head,
        [...items, ...rest],
        '  …',
        room,
        (index) => actions[index] !== undefined && hasFailed(actions[index]),
      ),
  };
}

function colouredEnd(action: Action): string {
  const text = actionEnd(action);
  if (hasFailed(action)) return colors.red(text);
  return action.end === null ? colors.yellow(text) : colors.dim(text);
}

/** Further lines of a command, such as those of a here-document, are not shown. */
function firstLine(action: Action): string {
  const text = actionText(action).trim();
  const [line = '', ...others] = text.split('\n');
  return `${action.command === null ? '' : '$ '}${terminalText(line)}${others.length === 0 ? '' : ' …'}`;
}

/** Keeps the end of the output of an agent that prints text; of a message, the beginning. */
function answerPart({ isText }: ActionLog, answer: string, width: number): Part {
  const name = isText ? 'output' : 'answer';
  return part(
    { items: [`${name} line`, `${name} lines`], importance: 6, least: 3 },
    ['', colors.bold(name)],
    indented(answer, width).map((line) => [line]),
    isText ? (index) => -index : undefined,
  );
}

/* Comments on GitHub have at most 65,536 characters. These limits leave room for the rest of the report. */
/** The limit for the first, and for the last actions of a run. */
const MAX_PER_END = 5;
const SHORT_COMMAND = 160;
const SHORT_ANSWER = 400;

/**
 * The actions of the agents of failed runs, in a collapsed block: their first and last commands, and the last message.
 */
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
  const shown = known.slice(0, Math.min(most, MAX_ACTION_LOGS));
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
  const why = missingActionsReason(actionLog, calls);
  const left = actions.length + more - 2 * MAX_PER_END;
  const items =
    left <= 0
      ? actions.map(item)
      : [...actions.slice(0, MAX_PER_END).map(item), `_${left} more_`, ...actions.slice(-MAX_ACTIONS).map(item)];
  return [
    ...(why === null ? [`${actionCounts(actionLog)}:`, list(items)] : [why]),
    ...(answer === null
      ? []
      : [
          isText
            ? `Output: ${inline(endOf(answer, SHORT_ANSWER))}`
            : `Last message: ${inline(beginningOf(answer, SHORT_ANSWER))}`,
        ]),
  ];
}

const item = (action: Action): string =>
  `${code(beginningOf(actionText(action), SHORT_COMMAND))}: ${actionEnd(action)}`;
