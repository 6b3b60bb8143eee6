import type { Client } from '@temporalio/client';
import { logUpdateStderr } from 'log-update';
import { frame, tookText, type LiveState } from '../../reports/live-frame.js';
import { cellLabel } from '../../results/cell-label.js';
import type { Outcome } from '../../results/schema.js';
import type { Plan } from '../../scenario/plan.js';
import type { SweepProgress } from '../../workflows/protocol.js';
import { hasColor } from '../output.js';
import { activeStep } from './active-step.js';
import { resultLabel, type View } from './view.js';

const RECENT = 8;
/** Each active run shown costs a question to the server. */
const ACTIVE_SHOWN = 24;

/** A frame that is drawn over itself, for a terminal. */
export function liveView(client: Client, plan: Plan, uiUrl: string | null): View {
  const cells = new Map(plan.cells.map((cell) => [cell.id, cell]));
  const since = new Map<string, { step: string; at: number }>();
  const startedAt = Date.now();
  let asked: { status: LiveState['status']; text: string } | null = null;
  /** While no worker answers, what was known last is still the best guess. */
  let last: SweepProgress | null = null;
  let active: LiveState['active'] = [];

  async function activeCells(
    runs: readonly { cell: string; workflowId: string }[],
  ): Promise<LiveState['active']> {
    return Promise.all(
      runs.slice(0, ACTIVE_SHOWN).map(async ({ cell: id, workflowId }) => {
        const { step, note } = await activeStep(client, workflowId);
        const known = since.get(id);
        const at = known?.step === step ? known.at : Date.now();
        since.set(id, { step, at });
        const cell = cells.get(id);
        return { label: cell === undefined ? id : cellLabel(cell), step, since: at, note };
      }),
    );
  }

  return {
    wantsProgress: true,
    async show({ progress, results }) {
      if (progress !== null && progress !== last) {
        last = progress;
        active = await activeCells(progress.active);
      }
      const lastOf = [...new Map(results.map((line) => [line.cell, line])).values()];
      const having = (outcome: Outcome): number => lastOf.filter((line) => line.outcome === outcome).length;
      const state: LiveState = {
        sweep: plan.sweep,
        status: asked?.status ?? last?.status ?? 'starting',
        note: asked?.text ?? (progress === null ? 'waiting for the worker' : null),
        startedAt,
        total: plan.cells.length,
        totals: {
          passed: having('pass'),
          failed: having('fail'),
          errored: having('error'),
          cancelled: having('cancelled'),
        },
        active,
        recent: lastOf.slice(-RECENT).map((line) => ({
          label: resultLabel(line),
          outcome: line.outcome,
          message: line.message,
          took: tookText(line.duration_secs, line.cached_from !== null),
        })),
        uiUrl,
        hint: asked === null ? 'Ctrl-C pauses, twice cancels' : null,
      };
      const { columns, rows } = process.stderr;
      logUpdateStderr(frame(state, columns, rows - 1, Date.now(), hasColor(process.stderr)));
    },
    note(status, text) {
      asked = status === 'running' ? null : { status, text };
    },
    done: () => logUpdateStderr.clear(),
  };
}
