import { parkedIn, resultLabeler, troublesOf, type View, waitsOf } from '#client';
import { decisionText, progressText } from '#decide';
import { ownCommand } from '#host';
import type { SweepProgress } from '#protocol';
import { durationText, explainedWait, plainLine } from '#reports';
import type { Plan } from '#scenario';
import { printNotice } from './output.js';

/** A view for logs and pipes: one line for each finished cell. Results in `earlier` are counted, but not listed. */
export function plainView(
  { sweep, cells, until_clear: untilClear }: Plan,
  earlier: ReadonlySet<string> = new Set(),
): View {
  const total = untilClear === undefined ? cells.length : `${cells.length} at most`;
  const resultLabel = resultLabeler(cells);
  const shown = new Set<string>();
  const ended = new Set<string>();
  let waits = '';
  let lastWaiting: string | null = null;
  let rounds = 0;
  let troubles: string[] = [];
  const sayDecision = ({ decision }: SweepProgress): void => {
    if (decision === undefined || decision.rounds === rounds) return;
    rounds = decision.rounds;
    printNotice(`${decisionText(decision)}; ${progressText(decision)}`);
  };
  const sayTroubles = (progress: SweepProgress): void => {
    const now = troublesOf(progress);
    for (const trouble of now) if (!troubles.includes(trouble)) printNotice(trouble);
    troubles = now;
  };
  const sayWaits = (progress: SweepProgress): void => {
    const now = waitsOf(progress)
      .map((wait) => explainedWait(wait, Date.now()))
      .join(', ');
    if (now !== '' && now !== waits) {
      printNotice(`${now}; to stop waiting: ${ownCommand(`retry ${sweep} --now`)}`);
      for (const reason of new Set(parkedIn(progress).flatMap(({ message }) => message ?? []))) printNotice(reason);
    }
    waits = now;
  };
  return {
    progressEveryMs: 10_000,
    show({ progress, waiting, results, ended: status }) {
      if (waiting !== lastWaiting && status === undefined) printNotice(waiting ?? 'continuing');
      lastWaiting = waiting;
      if (progress !== null) {
        sayTroubles(progress);
        sayWaits(progress);
        sayDecision(progress);
      }
      for (const line of results) {
        if (shown.has(line.id)) continue;
        shown.add(line.id);
        ended.add(line.cell);
        if (earlier.has(line.id)) continue;
        const { outcome, message } = line;
        const took = durationText(line.duration_secs, line.cached_from !== null);
        printNotice(plainLine({ label: resultLabel(line), outcome, message, took }, ended.size, total));
      }
      return Promise.resolve();
    },
    note: (_status, text) => printNotice(text),
    away: (text) => printNotice(text ?? 'the Temporal server is responding again'),
    done: () => undefined,
  };
}
