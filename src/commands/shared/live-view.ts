import { logUpdateStderr } from 'log-update';
import { renderLiveView, durationText, type LiveState } from '../../reports/live-frame.js';
import { waitText } from '../../reports/wait-text.js';
import { cellLabeler } from '../../results/records/cell-label.js';
import type { Outcome } from '../../results/records/result-line.js';
import type { Plan } from '../../scenario/plan.js';
import type { SweepProgress } from '../../workflows/protocol.js';
import { hasColor } from './output.js';
import { ownCommand } from '../../platform/invocation.js';
import { activeStep, BETWEEN_STEPS, type ActiveStep } from '../../client/follow/active-step.js';
import type { Session } from '../../client/session.js';
import { resultLabeler, type View } from '../../client/follow/view.js';
import { limitsOf, parkedIn, waitsOf } from '../../client/follow/waits.js';

const RECENT = 8;
/** Limited because each active run shown costs a call to the server. */
const ACTIVE_SHOWN = 24;

type Shown = LiveState['active'][number] & { id: string };

/** A view for terminals: one frame that is redrawn in place. Results in `earlier` are counted, but not listed. */
export function liveView(
  session: Pick<Session, 'client'>,
  plan: Plan,
  uiUrl: string | null,
  earlier: ReadonlySet<string> = new Set(),
): View {
  const cells = new Map(plan.cells.map((cell) => [cell.id, cell]));
  const since = new Map<string, { step: string; at: number }>();
  const cellLabel = cellLabeler(plan.cells);
  const resultLabel = resultLabeler(plan.cells);
  const startedAt = Date.now();
  let asked: { status: LiveState['status']; text: string } | null = null;
  let away: string | null = null;
  /** The last known progress, which is still shown while no worker answers. */
  let last: SweepProgress | null = null;
  let active: Shown[] = [];
  /** Ids of the results at the time of the last progress. A newer result means that its run has ended since. */
  let before: ReadonlySet<string> = new Set();

  const limitOf = limitsOf(plan);

  const shown = (id: string, { step, note }: ActiveStep): Shown => {
    const known = since.get(id);
    const at = known?.step === step ? known.at : Date.now();
    since.set(id, { step, at });
    const cell = cells.get(id);
    return { id, label: cell === undefined ? id : cellLabel(cell), step, since: at, note };
  };

  async function activeCells(progress: SweepProgress): Promise<Shown[]> {
    const running = await Promise.all(
      progress.active.slice(0, ACTIVE_SHOWN).map(async ({ cell, workflowId }) => {
        const found = await activeStep(session.client, workflowId);
        const limit = found.step === BETWEEN_STEPS ? limitOf(progress, cell) : null;
        return shown(cell, limit === null ? found : { step: waitText(limit, Date.now()), note: null });
      }),
    );
    const parked = parkedIn(progress)
      .slice(0, ACTIVE_SHOWN - running.length)
      .map((wait) => shown(wait.cell, { step: waitText(wait, Date.now()), note: wait.message ?? null }));
    return [...running, ...parked];
  }

  const waitNote = (progress: SweepProgress): string | null => {
    const waits = waitsOf(progress).map((wait) => waitText(wait, Date.now()));
    return waits.length === 0
      ? null
      : `${waits.join(', ')}; to stop waiting: ${ownCommand(`retry ${plan.sweep} --now`)}`;
  };

  return {
    progressEveryMs: 1000,
    async show({ progress, waiting, results }) {
      if (progress !== null && progress !== last) {
        last = progress;
        before = new Set(results.map(({ id }) => id));
        active = await activeCells(progress);
      }
      const lastOf = [...new Map(results.map((line) => [line.cell, line])).values()];
      const ended = new Set(lastOf.filter(({ id }) => !before.has(id)).map(({ cell }) => cell));
      const running = (last?.active ?? []).filter(({ cell }) => !ended.has(cell)).length;
      const having = (outcome: Outcome): number => lastOf.filter((line) => line.outcome === outcome).length;
      const state: LiveState = {
        sweep: plan.sweep,
        status: asked?.status ?? last?.status ?? 'starting',
        note:
          away ??
          asked?.text ??
          waiting ??
          (progress === null ? 'waiting for the worker' : waitNote(progress)),
        startedAt,
        total: plan.cells.length,
        totals: {
          passed: having('pass'),
          failed: having('fail'),
          errored: having('error'),
          cancelled: having('cancelled'),
        },
        active: active.filter(({ id }) => !ended.has(id)),
        running,
        recent: lastOf
          .filter(({ id }) => !earlier.has(id))
          .slice(-RECENT)
          .map((line) => ({
            label: resultLabel(line),
            outcome: line.outcome,
            message: line.message,
            took: durationText(line.duration_secs, line.cached_from !== null),
          })),
        uiUrl,
        hint:
          asked === null
            ? 'Ctrl-C pauses, pressed twice it cancels'
            : asked.status === 'pausing'
              ? 'Ctrl-C again cancels'
              : null,
      };
      const { columns, rows } = process.stderr;
      logUpdateStderr(renderLiveView(state, columns, rows - 1, Date.now(), hasColor(process.stderr)));
    },
    note(status, text) {
      asked = status === 'running' ? null : { status, text };
    },
    away(text) {
      away = text;
    },
    done: () => logUpdateStderr.clear(),
  };
}
