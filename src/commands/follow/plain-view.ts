import { plainLine, tookText } from '../../reports/live-frame.js';
import { say } from '../output.js';
import { resultLabel, type View } from './view.js';

/** Lines for logs and pipes: one a finished cell. */
export function plainView(total: number): View {
  const shown = new Set<string>();
  return {
    wantsProgress: false,
    show({ results }) {
      for (const line of results) {
        if (shown.has(line.cell)) continue;
        shown.add(line.cell);
        const { outcome, message } = line;
        const took = tookText(line.duration_secs, line.cached_from !== null);
        say(plainLine({ label: resultLabel(line), outcome, message, took }, shown.size, total));
      }
      return Promise.resolve();
    },
    note: (_status, text) => say(text),
    done: () => undefined,
  };
}
