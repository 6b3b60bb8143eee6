import { stripVTControlCharacters } from 'node:util';
import type { Paid } from '#decide';
import { formatAbout, formatCost, formatDuration, renderTable, terminalText, textWidth, truncate } from '#lib';
import type { Outcome } from '#model';
import { colors, mark, paidText } from '../blocks/terminal.js';

/** The contents of the live view of a sweep. Times are in ms since the epoch. */
export interface LiveState {
  sweep: string;
  status: 'starting' | 'running' | 'pausing' | 'paused' | 'cancelling' | 'completed' | 'cancelled';
  /** The common parts of all cells, e.g. the scenario if there is only one. */
  about: string;
  /** The reason for a wait, e.g. "downloading the Temporal server". */
  note: string | null;
  startedAt: number;
  total: number;
  totals: { passed: number; failed: number; errored: number; cancelled: number };
  /** Number of runs in a step. `active` has the first of them. */
  running: number;
  active: ActiveRow[];
  /** Number of runs that wait for their providers. `parked` has the first of them. */
  parkedTotal: number;
  parked: { name: string[]; wait: string; reason: string }[];
  /** Cells that failed or ended with an error, oldest first. */
  failures: EndedRow[];
  /** The other finished cells, oldest first. */
  ended: EndedRow[];
  /** The time that the sweep will take from now on; null if there is no basis for an estimate. */
  remainingSecs: number | null;
  /** The findings so far of a sweep that runs until its verdict is clear, in sentences. */
  decision: readonly string[];
  /** Null if the agents cost nothing. */
  spent: (Paid & { maxUsd: number | null }) | null;
  uiUrl: string | null;
  /** The effects of the keys, e.g. "Ctrl-C pauses". */
  hint: string | null;
}

interface ActiveRow {
  /** The parts that distinguish the cell from others. */
  name: string[];
  step: string;
  since: number;
  /** The agent's last command or message. */
  doing: string | null;
  note: string | null;
}

export interface EndedRow {
  name: string[];
  outcome: Outcome;
  message: string;
  took: string;
}

/** This many failures keep their lines when there is no room for all active cells. */
const FAILURES = 5;
/** This many runs that wait for a provider do. */
const PARKED = 2;
const LONGEST_BAR = 30;
/** The most lines of a decision. */
const DECISION_LINES = 4;
const NOTE_LINES = 3;

/**
 * Renders the live view as at most `height` lines of at most `width` columns, without a trailing newline. Lists that do
 * not fit end with the number of what is missing. If there are too few lines, it drops blank lines first, then finished
 * cells, the address, active cells, the bar, and last what the keys do.
 */
export function renderLiveView(state: LiveState, width: number, height: number, now: number, color: boolean): string {
  if (width < 1 || height < 1) return '';
  const dimmed = (text: string | null): string[] => (text === null ? [] : [colors.dim(terminalText(text))]);
  const head = header(state, { now, width, height });
  const foot = [...(height < 12 ? [] : dimmed(state.uiUrl)), ...(height < 5 ? [] : dimmed(state.hint))];
  const body = lists(state, { now, width, room: height - head.length - foot.length });
  const groups = [head, ...body, foot].filter((group) => group.length > 0);
  const used = groups.reduce((sum, group) => sum + group.length, 0);
  const blanks = used + groups.length - 1 <= height ? [''] : [];
  const frame = groups
    .flatMap((group, at) => (at > 0 ? [...blanks, ...group] : group))
    .slice(0, height)
    .map((line) => truncate(line, width))
    .join('\n');
  return color ? frame : stripVTControlCharacters(frame).replace(/ +$/gm, '');
}

/** Formats how long a run took; "cached" for a reused result. */
export const durationText = (durationSecs: number | null, cached: boolean): string =>
  cached ? 'cached' : durationSecs === null ? 'n/a' : formatDuration(durationSecs * 1000);

/** Formats a finished cell without a terminal: "[3/6] pass   example_basic mock/default  2.1 s  4/4 gates passed". */
export function plainLine(
  cell: Omit<EndedRow, 'name'> & { label: string },
  position: number,
  total: number | string,
): string {
  const { label, outcome, message, took } = cell;
  const parts = [outcome.padEnd(5), terminalText(label), took, terminalText(message)];
  return `[${position}/${total}] ${parts.join('  ')}`.trimEnd();
}

interface Frame {
  now: number;
  width: number;
}

function header(state: LiveState, { now, width, height }: Frame & { height: number }): string[] {
  const { passed, failed, errored, cancelled } = state.totals;
  const finished = passed + failed + errored + cancelled;
  const waiting = Math.max(0, state.total - finished - state.running);
  const counts: [number, string, (text: string) => string][] = [
    [passed, 'passed', colors.green],
    [failed, 'failed', colors.red],
    [errored, errored === 1 ? 'error' : 'errors', colors.magenta],
    [cancelled, 'cancelled', colors.yellow],
    [state.running, 'running', colors.cyan],
    [waiting, 'waiting', colors.dim],
  ];
  const title = [
    colors.bold(terminalText(state.sweep)),
    state.status,
    formatDuration(now - state.startedAt),
    ...(state.about === '' ? [] : [colors.dim(terminalText(state.about))]),
  ].join('  ');
  // Cancelled cells are rare; the other counts keep their places from frame to frame.
  const shown = counts.filter(([count, word]) => count > 0 || word !== 'cancelled');
  // A note ends with what to do about the wait, so it is wrapped instead of cut.
  const note = state.note === null ? [] : wrap(terminalText(state.note), width);
  return [
    title,
    ...(height < 7 ? [] : [progressLine(state, finished, width)]),
    ...(height < 2
      ? []
      : [
          shown
            .map(([count, word, paint]) => (count > 0 ? paint(`${count} ${word}`) : colors.dim(`0 ${word}`)))
            .join('  '),
        ]),
    // The interval is at the end of its line.
    ...state.decision
      .flatMap((line) => wrap(terminalText(line), width))
      .slice(0, height < 12 ? Math.max(0, Math.min(1, height - 4)) : DECISION_LINES)
      .map(colors.cyan),
    ...note.slice(0, height < 12 ? Math.max(0, Math.min(1, height - 3)) : NOTE_LINES).map(colors.yellow),
  ];
}

/** Formats how far the sweep is: a bar, the finished cells, the time left, the money spent. */
function progressLine(state: LiveState, finished: number, width: number): string {
  const length = Math.min(LONGEST_BAR, Math.floor(width / 3));
  const full = state.total === 0 ? 0 : Math.floor((length * Math.min(finished, state.total)) / state.total);
  const { spent } = state;
  const budget = spent?.maxUsd == null ? 'spent' : `of ${formatCost(spent.maxUsd)} spent`;
  return [
    `${colors.green('█'.repeat(full))}${colors.dim('░'.repeat(length - full))}`,
    `${finished}/${state.total}`,
    ...(state.remainingSecs === null ? [] : [`${formatAbout(state.remainingSecs)} left`]),
    ...(spent === null ? [] : [`${paidText(spent)} ${budget}`]),
  ].join('  ');
}

/** Splits text into lines of whole words. */
function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && textWidth(`${last} ${word}`, width) <= width) lines.splice(-1, 1, `${last} ${word}`);
    else if (word !== '') lines.push(word);
  }
  return lines;
}

/** Renders the lists of cells in `room` lines: failures and waits keep some lines, running cells get the others. */
function lists(state: LiveState, { now, width, room }: Frame & { room: number }): string[][] {
  const { running, parkedTotal } = state;
  // Only so many rows are rendered as can be shown: there may be thousands of cells.
  const most = Math.max(0, room);
  const [failures, ended] = [state.failures.slice(-most), state.ended.slice(-most)];
  const third = Math.floor(most / 3);
  const forFailures = Math.min(
    state.failures.length,
    Math.max(Math.min(FAILURES, third), most - running - parkedTotal),
  );
  const forParked = Math.min(parkedTotal, Math.max(Math.min(PARKED, third), most - running - forFailures));
  const forActive = Math.min(running, most - forFailures - forParked);
  const forEnded = Math.min(ended.length, most - forFailures - forParked - forActive);
  const [named] = [...state.active, ...state.parked, ...failures, ...ended];
  const parts = named?.name.length ?? 0;
  const going = renderTable(
    [
      ...state.active
        .slice(0, most)
        .map(({ name, step, since, doing, note }) => [
          ...name.map(terminalText),
          colors.cyan(terminalText(step)),
          formatDuration(now - since),
          [...(note === null ? [] : [colors.yellow(terminalText(note))]), terminalText(doing ?? '')]
            .filter((part) => part !== '')
            .join('  '),
        ]),
      ...state.parked
        .slice(0, most)
        .map(({ name, wait, reason }) => [
          ...name.map(terminalText),
          colors.yellow(terminalText(wait)),
          '',
          colors.dim(terminalText(reason)),
        ]),
    ],
    { width, indent: '  ', right: [parts + 1] },
  );
  const active = going.slice(0, Math.min(most, state.active.length));
  const rows = (list: readonly EndedRow[]): string[] =>
    renderTable(
      list.map(({ name, outcome, message, took }) => [
        mark(outcome),
        ...name.map(terminalText),
        took,
        colors.dim(terminalText(message)),
      ]),
      { width, indent: '  ', right: [parts + 1] },
    );
  return [
    [
      ...fold(active, running, forActive, 'running'),
      ...fold(going.slice(active.length), parkedTotal, forParked, 'waiting for their providers'),
    ],
    fold(rows(failures).reverse(), state.failures.length, forFailures, 'that failed earlier').reverse(),
    forEnded > 0 ? rows(ended).slice(-forEnded) : [],
  ];
}

/** Returns the first of `total` lines that fit. If some are missing, the last line says how many. */
function fold(lines: readonly string[], total: number, room: number, what: string): string[] {
  if (room < 1) return [];
  if (total <= room && lines.length >= total) return lines.slice(0, total);
  const shown = lines.slice(0, room - 1);
  return [...shown, `  … and ${total - shown.length} more ${what}`];
}

/** A wait for a provider that did not serve a request. */
export interface Wait {
  /** Absent if it is unknown. */
  provider?: string;
  /** ms since the epoch */
  until: number;
  /** The reason why the request was not served. Absent if it is unknown. */
  message?: string;
}

const DAY_MS = 86_400_000;

/** Formats a wait: "waiting for anthropic until 14:05", in the reader's time zone; from 24 hours on, with the date. */
export function waitText({ provider, until }: Wait, now: number): string {
  const end = new Date(until);
  const two = (part: number): string => String(part).padStart(2, '0');
  const time = `${two(end.getHours())}:${two(end.getMinutes())}`;
  const date = `${end.getFullYear()}-${two(end.getMonth() + 1)}-${two(end.getDate())} `;
  return `waiting for ${provider ?? 'its provider'} until ${until - now < DAY_MS ? '' : date}${time}`;
}

/** The same with the reason, which names the address or what is not set where the provider is unknown. */
export const explainedWait = (wait: Wait, now: number): string =>
  wait.provider === undefined && (wait.message ?? '') !== ''
    ? `${waitText(wait, now)} (${wait.message ?? ''})`
    : waitText(wait, now);
