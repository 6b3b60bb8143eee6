import { existsSync } from 'node:fs';
import { Context } from '@temporalio/activity';
import { type Firing, firingId } from '#decide';
import { fairnessKey } from '#engine';
import { isMirror, proveSweep, sweepEnvFrom, writeFileAtomic, writeSweepEnv } from '#host';
import { LIMITS, sha256 } from '#lib';
import { type FiringEnd, type FiringRef, lostSecsOf, type PlannedFiring, sweepOrder, sweepTitle } from '#protocol';
import type { Plan, StoredSchedule } from '#scenario';
import {
  beginFiring,
  objectsOf,
  type ObjectStore,
  originKey,
  planFile,
  planObject,
  pullResults,
  readFiring,
  removeUsedTriggers,
  sharedProjectOf,
  writeAudit,
  writeFiring,
} from '#store';
import { reportNight } from '#sweeps';
import type { Deps } from '../step/deps.js';
import { variablesNow } from './send-webhook.js';
import { isForgotten } from '../origin/verify-origin.js';
import { claimOrder, notDue, refusal, verifySchedule } from '../origin/verify-firing.js';

/**
 * Plans the sweep of a firing. Each time of a schedule has one firing, which its record claims, and the id of the sweep
 * follows from it. So another attempt of this activity plans the same sweep.
 */
export const planScheduled =
  (deps: Deps) =>
  async (ref: FiringRef): Promise<PlannedFiring> => {
    const { resultsPath, stateFolder } = deps;
    const objects = await objectsOf(resultsPath);
    const verified = await verifySchedule(deps, objects, ref);
    const { stored, at } = verified;
    const earlier = await readFiring(objects, ref.schedule, firingId(at));
    const firing = earlier?.workflow === ref.execution ? earlier : await begin(deps, objects, verified, ref.execution);
    const { sweep } = firing;
    const { owner } = stored.plan;
    const planned = {
      firing: firing.firing,
      title: sweepTitle(stored.plan),
      ...(owner === undefined ? {} : { fairnessKey: fairnessKey(owner) }),
    };
    const values = variablesNow(deps, stored);
    if (sweep === null) return { ...planned, sweep: null };
    if (typeof values === 'string') {
      await writeFiring(objects, { ...firing, sweep: null, reasons: [values] });
      return { ...planned, sweep: null };
    }
    const shared = isMirror(resultsPath);
    // Hosts of shared results have values of their own.
    if (!shared) await writeSweepEnv(stateFolder, sweep, sweepEnvFrom(values, stored.variables));
    const planHash = await publishPlan(objects, resultsPath, sweep, stored);
    await writeAudit(
      objects,
      { verb: 'start', who: owner ?? null, sweep, schedule: ref.schedule },
      { at: new Date(firing.scheduled_at), once: sweep },
    );
    const order = sweepOrder(stored.plan, 1, {
      shared,
      external: deps.server !== 'own',
      lostSecs: lostSecsOf(process.env),
      limits: deps.limits ?? LIMITS,
    });
    const key = await originKey(deps);
    return { ...planned, sweep: { sweep, ...order, proof: proveSweep(key, { sweep, planHash, order }) } };
  };

/**
 * Claims the time of a firing. One that a command has triggered takes the next second that is free, because several may
 * come in the same second.
 *
 * @throws ApplicationFailure (non-retryable) if it is not due, or its time was claimed before, and no command triggered
 *   it
 */
async function begin(
  deps: Deps,
  objects: ObjectStore,
  verified: Awaited<ReturnType<typeof verifySchedule>>,
  execution: string,
): Promise<Firing> {
  const { stored, at } = verified;
  const firingAt = (claimed: number, triggered: boolean): Promise<Firing> =>
    beginFiring(objects, firingOf(stored, { at, claimed, triggered }, execution));
  let without = notDue(verified);
  if (without === null) {
    const firing = await firingAt(at, false);
    if (firing.workflow === execution) return firing;
    const { workflowId = '' } = Context.current().info.workflowExecution ?? {};
    // After a power failure, the server may start a firing again that it has forgotten.
    if (await isForgotten(deps.isOwnServer, workflowId, firing.workflow)) {
      const again = { ...firing, workflow: execution };
      await writeFiring(objects, again);
      return again;
    }
    without = 'this time has already had its firing';
  }
  await claimOrder(deps, objects, verified, { execution, without });
  for (let claimed = at; ; claimed += 1000) {
    const firing = await firingAt(claimed, true);
    if (firing.workflow === execution) return firing;
  }
}

function firingOf(
  { schedule }: StoredSchedule,
  { at, claimed, triggered }: { at: number; claimed: number; triggered: boolean },
  workflow: string,
): Firing {
  const firing = firingId(claimed);
  const sweep = `${schedule}-${firing}-${sha256(`${firing} ${workflow}`).slice(0, 8)}`;
  return {
    schema_version: 1,
    schedule,
    firing,
    scheduled_at: new Date(at).toISOString(),
    triggered,
    workflow,
    sweep,
    status: 'running',
    exit_code: null,
    compared_with: null,
    verdict: null,
    reasons: [],
    totals: null,
    cost_usd: null,
    ended_at: null,
    webhook: null,
    nights: null,
    configurations: [],
    text: `${schedule} (${sweep}): running`,
  };
}

/** Writes the plan, unless an earlier attempt has, perhaps on another host. Returns its hash. */
async function publishPlan(
  objects: ObjectStore,
  resultsPath: string,
  sweep: string,
  { plan: template }: StoredSchedule,
): Promise<string> {
  const plan: Plan = { sweep, created_at: new Date().toISOString(), ...template };
  await objects.putOnce(planObject(sweep), `${JSON.stringify(plan, null, 2)}\n`);
  const text = (await objects.get(planObject(sweep))) ?? '';
  const file = planFile(resultsPath, sweep);
  if (!existsSync(file)) await writeFileAtomic(file, text);
  return sha256(text);
}

/** Writes the result of a firing: the comparison with the reference, the exit code and the JUnit report. */
export const reportScheduled =
  ({ resultsPath, ...deps }: Deps) =>
  async ({ firing: id, status, message, ...ref }: FiringEnd): Promise<{ exitCode: number; webhook: boolean }> => {
    const objects = await objectsOf(resultsPath);
    const { stored } = await verifySchedule({ resultsPath, ...deps }, objects, ref);
    const begun = await readFiring(objects, ref.schedule, id);
    if (begun?.workflow !== ref.execution) throw refusal(ref.schedule, 'it has no record of this firing');
    // Also those of earlier nights, which other hosts may have run.
    const project = begun.sweep === null ? null : await sharedProjectOf(resultsPath);
    if (project !== null) await pullResults(project);
    const lost = message === undefined ? [] : [`the workflow of the sweep did not complete: ${message}`];
    const { exit_code: exitCode } = await reportNight(resultsPath, objects, stored, {
      ...begun,
      status,
      ended_at: new Date().toISOString(),
      reasons: begun.sweep === null ? begun.reasons : lost,
    });
    await removeUsedTriggers(objects, ref.schedule);
    return { exitCode: exitCode ?? 3, webhook: stored.webhook !== null };
  };
