import pc from 'picocolors';
import { formatDuration } from '../lib/format/duration.js';
import { renderTable, terminalText, textWidth, truncate } from '../lib/format/table.js';
import type { Outcome } from '../results/records/result-line.js';
import { mark, type Colors } from './terminal.js';

/** What the live view shows of a sweep. Times are in ms since the epoch. */
export interface LiveState {
  sweep: string;
  status: 'starting' | 'running' | 'pausing' | 'paused' | 'cancelling' | 'completed' | 'cancelled';
  /** What is being waited for, e.g. "downloading the Temporal server". */
  note: string | null;
  startedAt: number;
  total: number;
  totals: { passed: number; failed: number; errored: number; cancelled: number };
  active: { label: string; step: string; since: number; note: string | null }[];
  /** Number of runs in a step. `active` lists the first of them, and runs that wait for a provider. */
  running?: number;
  /** Oldest first. */
  recent: { label: string; outcome: Outcome; message: string; took: string }[];
  uiUrl: string | null;
  /** What the keys do, e.g. "Ctrl-C pauses". */
  hint: string | null;
}

/** This many finished cells keep their lines when there is no room for all active ones. */
const RECENT = 3;

/**
 * Renders the live view as at most `height` lines of at most `width` columns, without a trailing newline.
 * If there are too few lines, it drops blank lines first, then the footer, then finished cells, then active ones.
 */
export function renderLiveView(
  state: LiveState,
  width: number,
  height: number,
  now: number,
  color: boolean,
): string {
  if (width < 1 || height < 1) return '';
  const colors = pc.createColors(color);
  const head = header(state, now, colors, width);
  const active = renderTable(
    state.active.map(({ label, step, since, note }) => [
      terminalText(label),
      colors.cyan(terminalText(step)),
      formatDuration(now - since),
      colors.yellow(terminalText(note ?? '')),
    ]),
    { width, right: [2], indent: '  ' },
  );
  const recent = renderTable(
    state.recent.map(({ label, outcome, message, took }) => [
      mark(outcome, colors),
      terminalText(label),
      took,
      colors.dim(terminalText(message)),
    ]),
    { width, right: [2], indent: '  ' },
  );
  const foot = [state.uiUrl, state.hint].flatMap((text) =>
    text === null ? [] : [colors.dim(terminalText(text))],
  );
  const groups = divide(head, active, recent, foot, height);
  return groups
    .filter((group) => group.length > 0)
    .flatMap((group, at) => (at > 0 && spare(groups, height) ? ['', ...group] : group))
    .slice(0, height)
    .map((line) => truncate(line, width))
    .join('\n');
}

/** Formats how long a run took; "cached" for a reused result. */
export const durationText = (durationSecs: number | null, cached: boolean): string =>
  cached ? 'cached' : durationSecs === null ? 'n/a' : formatDuration(durationSecs * 1000);

/** Formats a finished cell without a terminal: "[3/6] pass   example_basic mock/default  2.1 s  4/4 gates passed". */
export function plainLine(cell: LiveState['recent'][number], position: number, total: number): string {
  const { label, outcome, message, took } = cell;
  const parts = [outcome.padEnd(5), terminalText(label), took, terminalText(message)];
  return `[${position}/${total}] ${parts.join('  ')}`.trimEnd();
}

function header(state: LiveState, now: number, colors: Colors, width: number): string[] {
  const { passed, failed, errored, cancelled } = state.totals;
  const running = state.running ?? state.active.length;
  const waiting = Math.max(0, state.total - passed - failed - errored - cancelled - running);
  const counts: [number, string, (text: string) => string][] = [
    [passed, 'passed', colors.green],
    [failed, 'failed', colors.red],
    [errored, errored === 1 ? 'error' : 'errors', colors.magenta],
    [cancelled, 'cancelled', colors.yellow],
    [running, 'running', colors.cyan],
    [waiting, 'waiting', colors.dim],
  ];
  const title = `${colors.bold(terminalText(state.sweep))}  ${state.status}  ${formatDuration(now - state.startedAt)}`;
  // Cancelled cells are rare; the other counts keep their places from frame to frame.
  const shown = counts.filter(([count, word]) => count > 0 || word !== 'cancelled');
  const note = state.note === null ? '' : terminalText(state.note);
  const beside = note !== '' && textWidth(`${title}  ${note}`) <= width;
  return [
    beside ? `${title}  ${colors.yellow(note)}` : title,
    // A note ends with what to do about the wait, so it is wrapped instead of cut.
    ...(beside ? [] : wrap(note, width).map((line) => colors.yellow(line))),
    shown
      .map(([count, word, paint]) => (count > 0 ? paint(`${count} ${word}`) : colors.dim(`0 ${word}`)))
      .join('  '),
  ];
}

/** Splits text into lines of whole words. */
function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && textWidth(`${last} ${word}`) <= width) lines.splice(-1, 1, `${last} ${word}`);
    else if (word !== '') lines.push(word);
  }
  return lines;
}

function divide(
  head: string[],
  active: string[],
  recent: string[],
  foot: string[],
  height: number,
): string[][] {
  const body = Math.max(0, height - head.length);
  const keptFoot = body >= foot.length + 2 ? foot : [];
  const room = body - keptFoot.length;
  const forRecent = Math.min(
    recent.length,
    Math.max(room - active.length, Math.min(RECENT, Math.floor(room / 3))),
  );
  return [head, fold(active, room - forRecent), forRecent > 0 ? recent.slice(-forRecent) : [], keptFoot];
}

/** Returns the first lines that fit. The last of them says how many are missing. */
function fold(lines: string[], room: number): string[] {
  if (lines.length <= room) return lines;
  return room < 1 ? [] : [...lines.slice(0, room - 1), `  … and ${lines.length - room + 1} more`];
}

/** True if blank lines between the groups fit too. */
function spare(groups: string[][], height: number): boolean {
  const filled = groups.filter((group) => group.length > 0);
  return filled.reduce((sum, group) => sum + group.length, 0) + filled.length - 1 <= height;
}
