import { cellLabel } from '#model';
import type { SweepCell } from '../documents.js';
import { withScenarioErrors } from '../errors.js';
import { failureOf } from '../failures.js';
import type { RunScenariosOptions, Sweep } from '../sweep.js';
import { planScenarios } from './plan-scenarios.js';
import { startScenarios } from './start-scenarios.js';

/** Cells that are tests: they run as one sweep. */
interface TestCells {
  /** The labels of the cells, each with its id. */
  cells: readonly { id: string; label: string }[];
  /**
   * Waits for the result of a cell. The first call starts the sweep, of `wanted` only: a runner may skip some tests.
   *
   * @throws Error with the reason if the cell did not pass
   */
  check: (id: string, wanted: readonly string[], signal: AbortSignal | undefined) => Promise<SweepCell>;
}

/** Reads and checks the scenarios, and starts nothing. @throws ScenarioError with all mistakes in files */
export async function testCells(options: RunScenariosOptions): Promise<TestCells> {
  const notices: string[] = [];
  const planned = await withScenarioErrors(() =>
    planScenarios({ ...options, onNotice: options.onNotice ?? ((text) => notices.push(text)) }),
  );
  let sweep: Promise<Sweep> | null = null;
  const start = (wanted: readonly string[]): Promise<Sweep> => {
    const cells = planned.cells.filter(({ id }) => wanted.includes(id));
    return withScenarioErrors(() => startScenarios({ ...planned, cells }, options));
  };
  return {
    cells: planned.cells.map((cell) => ({ id: cell.id, label: cellLabel(cell) })),
    async check(id, wanted, signal) {
      sweep ??= start(wanted);
      const running = await sweep;
      // The runner was interrupted, or starts again: nobody waits for the rest.
      const cancel = (): void => void running.cancel().catch(() => undefined);
      if (signal?.aborted === true) cancel();
      signal?.addEventListener('abort', cancel, { once: true });
      const cell = await resultOf(running, id).finally(() => signal?.removeEventListener('abort', cancel));
      const failure = await failureOf(cell);
      if (failure === null) return cell;
      const error = new Error([failure, ...notices].join('\n'));
      delete error.stack; // nothing in the code of the test is wrong
      throw error;
    },
  };
}

async function resultOf(sweep: Sweep, id: string): Promise<SweepCell> {
  for await (const event of sweep.events()) if (event.type === 'ended' && event.cell.id === id) return event.cell;
  const cell = (await sweep.result()).cells.find((one) => one.id === id);
  if (cell === undefined) throw new Error(`${sweep.id} has no cell ${id}`);
  return cell;
}
