import { beginningsOf, type Firing, nightText, riseTexts, type ScheduleSummary } from '#decide';
import { counted, formatAge, formatDuration, renderTable, terminalText } from '#lib';
import type { ScheduleReference } from '#model';
import { colors, painted, type TextOptions } from '../blocks/terminal.js';

/** Renders schedules: a line for each, and below it how its newest firing ended. */
export function renderSchedules(schedules: readonly ScheduleSummary[], now: number, options: TextOptions): string {
  const table = renderTable(
    schedules.map((one) => [
      colors.bold(terminalText(one.schedule)),
      terminalText(one.when),
      counted(one.cells, 'cell'),
      state(one, now),
    ]),
    { width: options.width },
  );
  const lines = table.flatMap((line, at) => {
    const { latest, skipped, missed } = schedules[at] ?? {};
    const more = [
      ...(latest == null
        ? []
        : [`${formatAge(now - Date.parse(latest.ended_at ?? latest.scheduled_at))}: ${latest.text}`]),
      ...(latest?.webhook == null || latest.webhook === 'sent'
        ? []
        : [`the webhook could not be sent: ${latest.webhook}`]),
      ...referenceText(schedules[at]?.reference ?? null),
      ...(latest?.nights == null ? [] : riseTexts(latest.nights)).filter(
        (text) => latest?.text.includes(text) !== true,
      ),
      ...(latest?.warnings ?? []).map((warning) => `warning: ${warning}`),
      ...[skippedText(skipped, 'skipped because a sweep was running'), skippedText(missed, 'missed')],
    ].filter((text) => text !== '');
    return [line, ...more.map((text) => colors.dim(`  ${terminalText(text)}`))];
  });
  return painted(lines.join('\n'), options);
}

const referenceText = (reference: ScheduleReference | null): string[] =>
  reference === null
    ? []
    : [
        `compared with ${reference.sweep}, ${reference.accepted_at === null ? 'the first complete night' : `accepted on ${reference.accepted_at.slice(0, 10)}`}`,
      ];

/** Renders a schedule with its nights, the newest first: what each has shown, and where a loss began. */
export function renderSchedule(
  schedule: ScheduleSummary,
  nights: readonly Firing[],
  now: number,
  options: TextOptions,
): string {
  const begun = beginningsOf(nights);
  const rows = [...nights]
    .reverse()
    .map((night) => [
      night.scheduled_at.slice(0, 16).replace('T', ' '),
      terminalText(night.sweep ?? night.firing),
      night.totals === null ? night.status : `${night.totals.passed} of ${night.totals.cells} passed`,
      (night.verdict === null ? String : colors[COLORS[night.verdict]])(
        nightText(night, schedule.reference?.sweep ?? null, begun),
      ),
    ]);
  const table = renderTable(rows, { width: options.width });
  return `${renderSchedules([schedule], now, options)}${rows.length === 0 ? '' : painted(`\n${table.join('\n')}`, options)}`;
}

const COLORS = {
  worse: 'red',
  'not worse': 'green',
  'not shown': 'green',
  undecided: 'yellow',
  'not tested': 'yellow',
} as const satisfies Record<NonNullable<Firing['verdict']>, keyof typeof colors>;

const skippedText = (times: number | null | undefined, why: string): string =>
  times == null || times === 0 ? '' : `${counted(times, 'time')} ${why}`;

/** `running`, `2 queued`; empty if there is none. */
const unlessNone = (count: number | null, what: string): string =>
  count === null || count === 0 ? '' : count === 1 ? what : `${count} ${what}`;

function state({ status, next: [next], running, queued }: ScheduleSummary, now: number): string {
  const counts = [unlessNone(running, 'running'), unlessNone(queued, 'queued')].filter((text) => text !== '');
  const runs = counts.map((text) => `${colors.cyan(text)}, `).join('');
  switch (status) {
    case 'active':
      return `${runs}${next === undefined ? 'will not fire again' : `next ${next.slice(0, 16).replace('T', ' ')}Z, in ${formatDuration(Date.parse(next) - now)}`}`;
    case 'paused':
      return `${runs}${colors.yellow('paused')}`;
    case 'missing':
      return colors.red('missing on the Temporal server; recreate it with schedule resume');
    case 'unknown':
      return colors.yellow('does not fire: the engine is not running');
  }
}
