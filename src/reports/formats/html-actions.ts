import { beginningOf } from '../../lib/format/truncate.js';
import { hasFailed, type Action, type ActionLog } from '../../results/transcript/action-log.js';
import { actionCounts, actionEnd, actionText, whyNoActions } from '../action-text.js';
import { markup, type Markup } from './markup.js';
import type { ReportedCell } from './sweep-report.js';

const MOST_ACTIONS = 200;
const COMMAND_LENGTH = 500;
const OUTPUT_LENGTH = 1000;

/** What the agent of a run did that did not pass: its commands with exit codes, and its last message, both collapsed. */
export function actionSection({
  actionLog = null,
  metrics,
}: NonNullable<ReportedCell['records']>): Markup | null {
  if (actionLog === null) return null;
  const parts =
    typeof actionLog === 'string'
      ? markup`<p class="soft">${actionLog}</p>`
      : [commands(actionLog, metrics.efficiency?.total_commands ?? null), answer(actionLog)];
  return markup`<h3>What the agent did</h3>
${parts}
`;
}

function commands(actionLog: ActionLog, calls: number | null): Markup {
  const why = whyNoActions(actionLog, calls);
  if (why !== null) return markup`<p class="soft">${why}</p>`;
  const shown = actionLog.actions.slice(0, MOST_ACTIONS);
  const left = actionLog.actions.length + actionLog.more - shown.length;
  const rest = left === 0 ? null : markup`<p class="soft">${left} more are in the transcript.</p>`;
  return collapsed(actionCounts(actionLog), markup`<ol>${shown.map(item)}</ol>${rest}`);
}

function item(action: Action): Markup {
  const text = beginningOf(actionText(action), COMMAND_LENGTH);
  const look = hasFailed(action) ? 'chip fail' : 'soft';
  const output =
    action.output === ''
      ? null
      : markup`<pre class="mono">${beginningOf(action.output, OUTPUT_LENGTH)}</pre>`;
  return markup`<li><span class="mono">${text}</span> <span class="${look}">${actionEnd(action)}</span>${output}</li>
`;
}

const answer = ({ answer: text, isText }: ActionLog): Markup | null =>
  text === null ? null : collapsed(isText ? 'output' : 'last message', markup`<pre>${text}</pre>`);

const collapsed = (title: string, content: Markup): Markup =>
  markup`<details class="actions"><summary>${title}</summary>${content}</details>
`;
