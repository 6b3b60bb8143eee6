import type { LiveState } from '../../reports/live-frame.js';
import { cellLabel } from '../../results/records/cell-label.js';
import type { ResultLine } from '../../results/records/result-line.js';
import type { SweepProgress } from '../../workflows/protocol.js';

/** What a view is given each time something may have changed. */
interface Snapshot {
  /** null when it was not asked for, or no worker answers. */
  progress: SweepProgress | null;
  /** What the work waits for, as a disk with room; null while it goes on. */
  waiting: string | null;
  /** Finished runs of the sweep in the order written. */
  results: readonly ResultLine[];
}

/** One way of showing a sweep while it runs. */
export interface View {
  /** How often it wants to know what is running, which costs questions to the server. */
  progressEveryMs: number;
  show(snapshot: Snapshot): Promise<void>;
  /** Something that the user has asked for is under way. */
  note(status: LiveState['status'], text: string): void;
  /** What keeps the server from being asked; null when it answers again. */
  away(text: string | null): void;
  done(): void;
}

/** The label of the cell of a line of results.jsonl. */
export const resultLabel = (line: ResultLine): string => cellLabel({ ...line, scenario: line.scenario_id });
