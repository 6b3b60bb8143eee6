import { existsSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { chooseEnvironment, sharesHost } from '#environments';
import { findExecutable, type SweepEnv } from '#host';
import type { Cell, HostRecord } from '#model';
import { type EffectiveScenario, findAgentStep, type Plan, scenarioOf } from '#scenario';
import { bringEarlier, readHost, requireSharedProject, resultsIndex, stateOfRun } from '#store';
import { resolveAgent, type ResolvedAgent } from '../credentials/resolve-agent.js';
import { readinessProblem } from '../prepare/build-workspace.js';
import type { Deps } from '../step/deps.js';
import { readScenario } from '../run/load-plan.js';
import { targetPathOf } from '../run/places.js';
import { missingValues, valuesOfRun } from '../run/values-of-run.js';
import type { Offers } from './host.js';

/**
 * Returns why this machine cannot run a cell: what a command checks before a sweep on its own machine. Null if it can.
 */
export async function hostProblem(deps: Deps, plan: Plan, cell: Cell): Promise<string | null> {
  const planned = scenarioOf(plan, cell);
  // The run reports a plan that is damaged.
  if (planned === undefined) return null;
  const elsewhere = await missingWorkProblem(deps, plan, cell);
  if (elsewhere !== null) return elsewhere;
  const { effective } = await readScenario(deps.resultsPath, planned.hash);
  const env = await valuesOfRun(deps, plan, cell, effective);
  const missing = missingValues(plan, cell, effective, env.values);
  if (missing.length > 0)
    return `not set: ${missing.join(', ')}; set it in the environment of the worker, or in its --env-file`;
  const resolved = resolveAgent(plan, cell, env.values);
  if (resolved === null) return `it does not know the agent ${cell.agent}`;
  const { scenario } = effective;
  const place = await chooseEnvironment(scenario.environment, [plan.project, dirname(deps.resultsPath)]);
  const targetPath = targetPathOf(deps.resultsPath, effective);
  const startsAgent = plan.regrade?.or_run !== false && findAgentStep(scenario) !== null;
  const unready = readinessProblem({
    ...effective,
    place,
    plan,
    targetPath,
    run: { cell },
    agent: resolved.agent,
    access: resolved.access,
    values: env.values,
    regrade: plan.regrade === undefined ? null : { run: null, orRun: startsAgent },
  });
  if (unready !== null) return unready;
  // A container or cloud sandbox has its own programs.
  if (!sharesHost(place)) return null;
  const noAgent = startsAgent ? missingAgentProblem(resolved, effective, env) : null;
  return noAgent ?? missingTargetProblem(effective, targetPath, env);
}

/**
 * The work of an earlier run can be checked again only on the host that did it, which has its private state. If that
 * host is gone, and the cell may also be run, any host runs it.
 */
async function missingWorkProblem(
  { resultsPath, stateFolder }: Deps,
  { sweep, regrade }: Plan,
  { id }: Cell,
): Promise<string | null> {
  const run = regrade?.runs[id];
  if (regrade === undefined || run === undefined || existsSync(stateOfRun(stateFolder, run))) return null;
  await bringEarlier(resultsPath, sweep, 1);
  const host = resultsIndex(resultsPath).line(run)?.host;
  const { store } = await requireSharedProject(resultsPath);
  const isThere = host !== undefined && (await readHost(store, host.id)) !== null;
  return regrade.or_run && !isThere
    ? null
    : `the work of ${run} is on ${host === undefined ? 'another host' : `host ${host.name}`}`;
}

function missingAgentProblem(
  { agent, settings }: ResolvedAgent,
  { host }: EffectiveScenario,
  { base }: SweepEnv,
): string | null {
  const files = [...(settings?.module === undefined ? [] : [settings.module]), ...(host?.reads ?? [])];
  const lacking = agent.isHosted === true ? files.find((file) => !existsSync(file)) : undefined;
  if (lacking !== undefined) return `the agent ${agent.name} needs ${lacking}, which does not exist`;
  return findExecutable(agent.program, base['PATH']) === null
    ? `${agent.program} of the agent ${agent.name} is not installed`
    : null;
}

/** A target may be installed by setup commands, and is then looked for in the run. */
function missingTargetProblem(
  { target, scenario, target_stored }: EffectiveScenario,
  path: string | null,
  { base }: SweepEnv,
): string | null {
  if (target === null || target_stored !== undefined || scenario.inputs.commands.length > 0) return null;
  if (path !== null) return existsSync(path) ? null : `the target ${path} does not exist`;
  if (target.binary.includes('/')) return null; // in the fixture
  const where = target.env['PATH'] ?? base['PATH'];
  return findExecutable(basename(target.binary), where) === null
    ? `the target ${target.binary} is not on its PATH`
    : null;
}

/** The time that a cell must have been offered, and every host have declined it, before it is given up, in seconds. */
const NO_HOST_SECS = 600;
/** A host without a sign of life for this long, by its own clock, is ignored. */
const SILENT_MS = 10 * 60_000;

const noHostMs = (): number => {
  const secs = Number(process.env['LLM_TOOL_TEST_NO_HOST_SECS']);
  return (secs > 0 ? secs : NO_HOST_SECS) * 1000;
};

/** An offer that this host has just declined. */
interface DeclinedOffer {
  /** Scenario, agent and model. */
  what: string;
  sweep: string;
  /** Agent and model. */
  agent: string;
  reason: string;
  /** When it was made first, in ms since the epoch. */
  madeAt: number;
}

/**
 * Returns why no host can run a cell, once all of them have been declining it for so long that waiting for another one
 * is pointless; null before that. A full host does not decline. Other cells of the sweep that this host declines for
 * the same reason are not waited for as long again. `now`: ms since the epoch.
 */
export function placementProblem(
  { what, sweep, agent, reason, madeAt }: DeclinedOffer,
  { offers, hosts }: { offers: Offers; hosts: readonly Host[] },
  now = Date.now(),
  patienceMs = noHostMs(),
): string | null {
  const why = declinedReason(what, hosts, now);
  if (why === null) {
    offers.waitForOthers(what);
    return null;
  }
  const kind = JSON.stringify([sweep, agent, reason]);
  const isLong = now - madeAt >= patienceMs && offers.aloneFor(what) >= patienceMs;
  if (!isLong && !offers.hasGivenUp(kind)) return null;
  offers.giveUp(kind);
  return why;
}

type Host = Pick<HostRecord, 'id' | 'name' | 'declined' | 'draining' | 'at'>;

/** Null if a host has not declined the cell: it may be full. */
function declinedReason(what: string, hosts: readonly Host[], now: number): string | null {
  const living = hosts.filter(({ draining, at }) => !draining && now - Date.parse(at) < SILENT_MS);
  const reasons = living.map(({ name, declined }) => {
    const last = declined.find((one) => one.what === what);
    return last === undefined ? null : `${name}: ${last.reason}`;
  });
  return reasons.length === 0 || reasons.includes(null)
    ? null
    : `no host can run it (${reasons.join('; ')}); run \`llm-tool-test workers\` to see the hosts`;
}
