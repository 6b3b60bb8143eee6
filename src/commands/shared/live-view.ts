import { hasColor } from './output.js';
import { cellStates, type ShownRun } from './live-state.js';
import { logUpdateStderr } from 'log-update';
import { activeStep, BETWEEN_STEPS, providerLimitsOf, type Session, troublesOf, type View, waitsOf } from '#client';
import { ownCommand } from '#host';
import { textWidth } from '#lib';
import type { SweepProgress } from '#protocol';
import { explainedWait, type LiveState, renderLiveView, waitText } from '#reports';
import type { Plan } from '#scenario';

/** Limited because each run shown costs a call to the server. */
const MAX_RUNS = 50;

interface LiveViewOptions {
  uiUrl: string | null;
  /** When the sweep or its following began, ms since the epoch. */
  startedAt?: number;
  /** True if Ctrl-C only ends the command. */
  watchOnly?: boolean;
  /** Ids of results that are counted, but not listed. */
  earlier?: ReadonlySet<string>;
}

/** A view for terminals: one frame that is redrawn in place. */
export function liveView(
  session: Pick<Session, 'client'>,
  plan: Plan,
  { uiUrl, startedAt = Date.now(), watchOnly = false, earlier = new Set() }: LiveViewOptions,
): View {
  const since = new Map<string, { step: string; at: number }>();
  let asked: { status: LiveState['status']; text: string } | null = null;
  let away: string | null = null;
  /** The last known progress, which is still shown while no worker answers. */
  let last: SweepProgress | null = null;
  let runs: ShownRun[] = [];
  let asking: Promise<void> | null = null;
  let shown: LiveState | null = null;

  const frame = terminalFrame();
  const limitOf = providerLimitsOf(plan);
  const stateOf = cellStates(plan, earlier);

  async function runsIn(progress: SweepProgress): Promise<ShownRun[]> {
    const most = Math.min(MAX_RUNS, frame.size().height);
    return Promise.all(
      progress.active.slice(0, most).map(async ({ cell, workflowId }) => {
        const { step, note, agent, startedAt: begun } = await activeStep(session.client, workflowId);
        const limit = step === BETWEEN_STEPS ? limitOf(progress, cell) : null;
        const known = since.get(cell);
        const at = known?.step === step ? known.at : (begun ?? Date.now());
        since.set(cell, { step, at });
        return {
          cell,
          step: limit === null ? step : waitText(limit, Date.now()),
          since: at,
          doing: agent?.doing ?? null,
          note,
          costUsd: agent?.costUsd ?? null,
        };
      }),
    );
  }

  const hint = (): string => {
    if (watchOnly) return 'Ctrl-C stops watching; the sweep continues';
    if (asked === null || asked.status === 'running')
      return (process.env['CI'] ?? '') === '' ? 'Ctrl-C pauses; press it twice to cancel' : 'Ctrl-C cancels';
    return asked.status === 'pausing' ? 'Ctrl-C again cancels' : 'Ctrl-C again ends this command';
  };

  const draw = (): void => {
    if (shown === null) return;
    const { width, height } = frame.size();
    frame.draw(renderLiveView(shown, width, height, Date.now(), hasColor(process.stderr)));
  };
  process.stderr.on('resize', draw);

  return {
    progressEveryMs: 1000,
    show({ progress, waiting, results, ended }) {
      if (progress !== null && progress !== last) {
        last = progress;
        // Not awaited: a call that hangs must not stop the frame.
        asking ??= runsIn(progress)
          .then((found) => void (runs = found))
          .finally(() => (asking = null));
      }
      const now = Date.now();
      const status = ended ?? (asked?.status === 'running' ? null : asked?.status) ?? last?.status ?? 'starting';
      const cells = { progress: ended === undefined ? last : null, runs, results };
      const unanswered = progress === null ? 'waiting for the worker' : waitNote(progress, plan.sweep, now);
      shown = {
        ...stateOf({ ...cells, goesOn: status === 'running' }, now),
        sweep: plan.sweep,
        status,
        note: ended === undefined ? (away ?? asked?.text ?? waiting ?? unanswered) : null,
        startedAt,
        uiUrl,
        hint: ended === undefined ? hint() : null,
      };
      draw();
      return Promise.resolve();
    },
    note(status, text) {
      asked = { status, text };
    },
    away(text) {
      away = text;
    },
    done() {
      process.stderr.off('resize', draw);
      frame.clear();
    },
  };
}

/** Says what the sweep cannot do, which providers runs wait for, and how to stop waiting; null if none does. */
function waitNote(progress: SweepProgress, sweep: string, now: number): string | null {
  const waits = waitsOf(progress).map((wait) => explainedWait(wait, now));
  const hint = `to stop waiting: ${ownCommand(`retry ${sweep} --now`)}`;
  const notes = [...troublesOf(progress), ...(waits.length === 0 ? [] : [waits.join(', '), hint])];
  return notes.length === 0 ? null : notes.join('; ');
}

/** Lines at the end of the terminal that are redrawn in place. */
interface TerminalFrame {
  size(): { width: number; height: number };
  draw(text: string): void;
  clear(): void;
}

/** A terminal may not know its size, or report 0. */
const COLUMNS = 80;
const ROWS = 24;

/**
 * The frame of stderr. A terminal that becomes narrower wraps the lines that were drawn, so all of these are erased.
 */
function terminalFrame(): TerminalFrame {
  const { stderr } = process;
  let drawn: { text: string; width: number } | null = null;
  const columns = (): number => stderr.columns || COLUMNS;
  return {
    size: () => ({ width: columns(), height: (stderr.rows || ROWS) - 1 }),
    draw(text) {
      if (drawn !== null && drawn.width !== columns()) {
        stderr.write(`\r\x1b[${wrappedRows(drawn.text, columns())}A\x1b[J`);
        logUpdateStderr.done();
      }
      logUpdateStderr(text);
      drawn = { text, width: columns() };
    },
    clear() {
      logUpdateStderr.clear();
      logUpdateStderr.done();
    },
  };
}

/** Returns the number of rows of a terminal that these lines take. */
const wrappedRows = (text: string, columns: number): number =>
  text.split('\n').reduce((rows, line) => rows + Math.max(1, Math.ceil(textWidth(line) / Math.max(1, columns))), 0);
