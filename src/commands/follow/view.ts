import type { LiveState } from '../../reports/live-frame.js';
import type { ResultLine } from '../../results/schema.js';
import type { SweepProgress } from '../../workflows/protocol.js';

/** What a view is given each time something may have changed. */
interface Snapshot {
  /** null when it was not asked for, or no worker answers. */
  progress: SweepProgress | null;
  /** Finished runs of the sweep in the order written. */
  results: readonly ResultLine[];
}

/** One way of showing a sweep while it runs. */
export interface View {
  /** Whether it shows what is running, which costs questions to the server. */
  wantsProgress: boolean;
  show(snapshot: Snapshot): Promise<void>;
  /** Something that the user has asked for is under way. */
  note(status: LiveState['status'], text: string): void;
  done(): void;
}

/** "example_basic mock/default #2": a cell in few words. */
export function cellLabel(cell: {
  scenario: string;
  agent: string;
  model: string;
  repetition: number;
}): string {
  return `${cell.scenario} ${cell.agent}/${cell.model}${cell.repetition > 1 ? ` #${cell.repetition}` : ''}`;
}

/** The same label, of a line of results.jsonl. */
export const resultLabel = (line: ResultLine): string => cellLabel({ ...line, scenario: line.scenario_id });
