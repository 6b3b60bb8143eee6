import { renderTable, terminalText, truncate, wrap } from '#lib';
import { type Action, type ActionLog, hasFailed } from '#model';
import { actionCounts, actionEnd, actionText, failureLine, whyNoActions } from './action-text.js';
import { always, endItems, firstItems, type Item, type Part } from './screen.js';
import type { Colors } from './terminal.js';

interface Options {
  width: number;
  colors: Colors;
  /** Calls of the target, for an agent that prints text; null: unknown. */
  calls: number | null;
}

/** Renders what an agent did: its commands with their exit codes, a line each, and its last message. */
export function agentParts(log: ActionLog, { width, colors, calls }: Options): Part[] {
  const why = whyNoActions(log, calls);
  return [
    why === null
      ? commandsPart(log, width, colors)
      : always(['', colors.bold('commands'), ...indented(why, width)]),
    ...(log.answer === null ? [] : [answerPart(log, log.answer, width, colors)]),
  ];
}

const indented = (text: string, width: number): string[] =>
  wrap(text, width - 2).map((line) => (line === '' ? '' : `  ${line}`));

function commandsPart(log: ActionLog, width: number, colors: Colors): Part {
  const { actions, more } = log;
  const head = ['', truncate(colors.bold(actionCounts(log)), width)];
  const rows = renderTable(
    actions.map((action) => [endOf(action, colors), firstLine(action)]),
    {
      width,
      indent: '  ',
    },
  );
  const items = actions.map((action, index): Item => {
    const failure = terminalText(failureLine(action));
    const row = rows[index] ?? '';
    return failure === '' ? [row] : [row, colors.dim(truncate(`      ${failure}`, width))];
  });
  const rest: Item[] =
    more === 0 ? [] : [[truncate(`  … ${more} more are in artifacts/events.jsonl`, width)]];
  return {
    items: ['command', 'commands'],
    importance: 8,
    least: 5,
    render: (room) => endItems(head, [...items, ...rest], '  …', room),
  };
}

function endOf(action: Action, colors: Colors): string {
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

/** Of an agent that prints text, the end of the output is kept; of a message, the beginning. */
function answerPart({ isText }: ActionLog, answer: string, width: number, colors: Colors): Part {
  const head = ['', colors.bold(isText ? 'output' : 'answer')];
  const items = indented(answer, width).map((line): Item => [line]);
  return {
    items: isText ? ['output line', 'output lines'] : ['answer line', 'answer lines'],
    importance: 6,
    least: 3,
    render: (room) => firstItems(head, items, room, isText ? (index) => -index : undefined),
  };
}
