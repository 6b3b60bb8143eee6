import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { proveRun } from '#host';
import { ENGINE_PROTOCOL } from '#lib';
import { type Cell, cellLabel } from '#model';
import { type PlaceInput, type RunPlace, runWorkflowId } from '#protocol';
import type { Plan } from '#scenario';
import { originKey, readHosts, requireSharedProject, type SharedProject } from '#store';
import type { Deps } from '../step/deps.js';
import { readPlan } from '../run/load-plan.js';
import { verifyPlacing } from '../origin/verify-origin.js';
import type { Host } from './host.js';
import { placementProblem, hostProblem } from './host-problem.js';

const FULL_MS = 1000;
const FIRST_DECLINED_MS = 200;
const LONGEST_DECLINED_MS = 15_000;

/**
 * Offers a run to this host, and takes a slot for it. A host that cannot run the cell declines, and the server offers
 * it again, to whichever host asks first.
 */
export const placeCell =
  (deps: Deps) =>
  async ({ sweep, cell: { id }, round, origin, ...of }: PlaceInput): Promise<RunPlace> => {
    const { host, resultsPath } = deps;
    if (host === undefined)
      throw ApplicationFailure.nonRetryable('this worker is not a host of shared results', 'NoHost');
    const project = await requireSharedProject(resultsPath);
    const { plan, planHash } = await readPlan(resultsPath, sweep);
    const order = await verifyPlacing(deps, { sweep, planHash }, origin);
    const cell = plan.cells.find((one) => one.id === id);
    if (cell === undefined)
      throw ApplicationFailure.nonRetryable(`the plan of ${sweep} has no cell ${id}`, 'StoreBroken');
    const reason = ineligibleReason(host, plan, cell) ?? (await hostProblem(deps, plan, cell));
    if (reason !== null) throw await declined(project, host, { sweep, cell }, reason);
    const workflowId = runWorkflowId(sweep, cell.id, round, of);
    if (!host.slots.take(workflowId)) throw offerAgain(`${host.name} has no free slot`, FULL_MS);
    host.offers.accept(offerLabel(cell));
    const key = await originKey(deps);
    const proof = proveRun(key, { sweep, planHash, cell, workflowId }, order);
    return { host: host.id, name: host.name, queue: host.queue, proof };
  };

/** Returns why this host is not meant for the cell; null if it is. */
function ineligibleReason(
  { labels, agents, isDraining }: Host,
  { on = [], protocol = 0 }: Plan,
  cell: Cell,
): string | null {
  const missing = on.filter((label) => !labels.includes(label));
  if (isDraining()) return 'it is draining';
  if (protocol > ENGINE_PROTOCOL) return 'its build is too old for this sweep; update llm-tool-test';
  if (missing.length > 0) return `it lacks the label ${missing.join(', ')}`;
  if (agents !== null && !agents.includes(cell.agent)) return `it does not run the agent ${cell.agent} (--agents)`;
  return null;
}

async function declined(
  project: SharedProject,
  host: Host,
  cell: Pick<PlaceInput, 'sweep' | 'cell'>,
  reason: string,
): Promise<ApplicationFailure> {
  const { attempt, scheduledTimestampMs } = Context.current().info;
  const what = offerLabel(cell.cell);
  host.offers.decline(what, reason);
  const own = { id: host.id, name: host.name, draining: false, at: new Date().toISOString() };
  const others = (await readHosts(project.store)).filter(({ id }) => id !== host.id);
  const { agent, model } = cell.cell;
  const final = placementProblem(
    // The time of the first attempt.
    { what, sweep: cell.sweep, agent: `${agent}/${model}`, reason, madeAt: scheduledTimestampMs },
    { offers: host.offers, hosts: [{ ...own, declined: host.offers.declined() }, ...others] },
  );
  if (final !== null) return ApplicationFailure.nonRetryable(final, 'NoHost');
  return offerAgain(
    `${host.name} declined: ${reason}`,
    // Jitter, so that retried offers do not reach the same hosts together.
    (0.5 + Math.random()) * Math.min(FIRST_DECLINED_MS * 2 ** Math.min(attempt - 1, 10), LONGEST_DECLINED_MS),
  );
}

const offerLabel = (cell: Cell): string => cellLabel({ ...cell, repetition: 1 });

const offerAgain = (message: string, nextRetryDelay: number): ApplicationFailure =>
  ApplicationFailure.create({ type: 'Declined', message, nextRetryDelay });
