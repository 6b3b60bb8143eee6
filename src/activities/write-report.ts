import { join } from 'node:path';
import { isTested } from '#decide';
import { readTextIfThere, writeFileAtomic } from '#host';
import { allDone, isJsonObject } from '#lib';
import {
  Executions,
  findRegressions,
  gateKey,
  keepReview,
  Metrics,
  redactFields,
  type Regression,
  type ResultLine,
  RunRecord,
  resultOfRun,
  STEPS,
  sumOfCosts,
} from '#model';
import type { ReportInput, RunRef, RunResult } from '#protocol';
import { renderEvaluation, renderReport } from '#reports';
import { findAgentStep } from '#scenario';
import { readActionLog, resultsIndex, runFiles } from '#store';
import { hasTargetChanged } from './prepare/target-files.js';
import { readUnreportedStart } from './agent/unreported-start.js';
import { collectSteps, type Ending } from './report/collect-steps.js';
import { composeExecutions } from './report/compose-executions.js';
import { composeMetrics } from './report/compose-metrics.js';
import { composeRecord } from './report/compose-record.js';
import { recordResult, resultOfLine, sendTrace } from './report/record-result.js';
import { keepWork, type KeptWork, originOfWork } from './report/keep-work.js';
import type { Fence } from './step/fence.js';
import { heartbeating } from './step/heartbeat.js';
import { isSmallRun, runLocallyIfSmall, runStepOnce } from './step/run-step-once.js';
import type { Deps } from './step/deps.js';
import { loadWithAccess } from './run/load-run.js';
import { leftoverWarning, resourcesOf, tearDown } from './teardown/tear-down.js';
import { addPostScripts, writeHuman, writeLostStarts } from './agent/transcripts.js';
import type { LoadedRun, RunAccess } from './run/context.js';

/**
 * Collects the results of the steps, decides the outcome and writes every file of the run, redacted. Returns null if
 * this is too much for a workflow task.
 */
export const writeReport =
  (deps: Deps) =>
  async (run: RunRef, input: ReportInput): Promise<RunResult | null> => {
    const context = await loadWithAccess(deps, run);
    return runLocallyIfSmall(
      () => isSmallRun(context),
      () => reportOnce(deps, context, input),
    );
  };

/** Writes the report, unless that has been done. */
export const reportOnce = (deps: Deps, context: LoadedRun & RunAccess, input: ReportInput): Promise<RunResult> =>
  runStepOnce<RunResult>(context, STEPS.report, (fence) =>
    heartbeating(() =>
      write(deps, context, input, fence, {
        keep: () => keepWork(context),
        readUnreported: (...given) => readUnreportedStart(context, ...given),
      }),
    ),
  );

/** Warns of verifiers that could not download something: their rewards may say nothing about the agent. */
const downloadWarnings = ({ details }: Metrics): string[] =>
  details.flatMap(({ subject, detail }) => {
    const line = isJsonObject(detail) ? detail['failed_download'] : undefined;
    return typeof line === 'string'
      ? [`${subject}: a download of the tests failed, so its reward may say nothing: ${line}`]
      : [];
  });

const TARGET_CHANGED = 'the target changed during this run, so its result will not be reused';

async function write(
  deps: Deps,
  context: LoadedRun & RunAccess,
  input: ReportInput,
  fence: Fence,
  { keep, readUnreported }: { keep: () => Promise<KeptWork> } & Pick<Ending, 'readUnreported'>,
): Promise<RunResult> {
  const { resultsPath } = deps;
  const { files, redact } = context;
  // A later attempt may be working on what is stopped here.
  await fence.check();
  // An earlier attempt wrote everything, and was lost before its result was published.
  const written = resultsIndex(resultsPath).line(context.run.run);
  if (written !== null) return resultOfLine(written);
  let leftByRun: KeptWork | undefined;
  const stop = async (): Promise<void> => void (leftByRun = await keep());
  const found = await collectSteps(context, input, { stop, readUnreported });
  const { leftOut = [], calls = null } = leftByRun ?? {};
  const kept = found.prepared?.result.kept;
  const origin = kept === undefined ? null : await originOfWork(resultsPath, kept.run, found);
  const composed = redactFields(
    {
      ...composeRecord(context, input, found, leftOut, origin === null ? calls : origin.calls),
      ...origin?.fields,
      ...hostOf(deps),
      ...lostHostsOf(context.run),
    },
    RunRecord,
    redact,
  );
  const metrics = redactFields(composeMetrics(context, composed, found), Metrics, redact);
  const neverStarted = findAgentStep(context.scenario) === null || (found.starts === 0 && kept === undefined);
  const ofAgent = neverStarted ? 0 : (composed.agent?.cost_usd ?? null);
  const cost_usd = sumOfCosts([ofAgent, found.judgeCost.cost_usd, found.asked.cost_usd]);
  const knownUsd = sumOfCosts(
    [composed.agent, found.judgeCost, found.asked].map((of) => of?.cost_usd ?? of?.cost_usd_at_least ?? 0),
  );
  const prepared = found.prepared?.result ?? null;
  const changed = prepared !== null && kept === undefined && (await hasTargetChanged(context, prepared));
  // Nothing below needs the place. Copying the workspace may have taken long.
  await fence.check();
  const left = await tearDown(deps, context.run, await resourcesOf(context), redact);
  const record = {
    ...composed,
    warnings: [
      ...composed.warnings,
      ...downloadWarnings(metrics),
      ...(changed ? [TARGET_CHANGED] : []),
      ...left.map(leftoverWarning).map(redact),
    ],
    // After a change of checks, a difference says nothing about the agent's work.
    regressions: kept === undefined ? regressionsOf(resultsPath, composed, metrics, cost_usd) : [],
  };

  // The transcripts below may take long, too.
  await fence.check();
  // The transcripts of a run whose work is checked again were copied.
  if (kept === undefined) {
    if (found.agent !== null && found.agent.result.record.starts > 0) {
      await addPostScripts(
        context,
        found.commands.flatMap(({ of, manifest }) => (of.isAfterAgent ? [manifest] : [])),
      );
      await writeHuman(context, found.agent.result.record);
    }
    await writeLostStarts(context, found.agent?.result.record.starts ?? found.starts + 1);
  }
  await fence.check();
  const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
  const executions =
    context.scenario.executions === true
      ? [[files.executions, json(redactFields(composeExecutions(context, found), Executions, redact))] as const]
      : [];
  // An earlier attempt, or the run whose work was checked, may have written it, and a person may have edited it since.
  const earlier =
    (await readTextIfThere(files.evaluation)) ??
    (kept === undefined ? null : await readTextIfThere(runFiles(join(resultsPath, kept.run)).evaluation));
  const actionLog = await readActionLog(files.events, record.agent).catch(() => null);
  const texts = [
    [files.run, json(record)] as const,
    [files.metrics, json(metrics)] as const,
    ...executions,
    [files.evaluation, keepReview(renderEvaluation(record, metrics), earlier)] as const,
    [files.report, renderReport(record, metrics, actionLog)] as const,
  ];
  // Together, because each waits for the disk.
  await allDone(texts.map(([file, text]) => writeFileAtomic(file, text)));
  await fence.check();
  const line: ResultLine = {
    ...resultOfRun(record, metrics),
    cost_usd,
    ...(cost_usd === null && knownUsd !== null && knownUsd > 0 ? { cost_usd_at_least: knownUsd } : {}),
    cache_key: changed ? null : (prepared?.cache_key ?? null),
    ...(changed || prepared?.agent_key == null ? {} : { agent_key: prepared.agent_key }),
    attempts: found.attempts,
    ...(prepared?.errors_before ? { errors_before: prepared.errors_before } : {}),
    ...(found.begunAnew === 0 ? {} : { begun_anew: found.begunAnew }),
    ...(context.run.lostHosts === undefined ? {} : { lost_runs: context.run.lostHosts.length }),
    ...hostOf(deps),
  };
  // Written last, because it makes the run known: when the line is there, the files are.
  const result = resultOfLine(await recordResult(deps, context.run, line));
  await sendTrace(deps, { record, metrics, costUsd: cost_usd }, files.events);
  return result;
}

/**
 * Returns what is worse than in the previous run of the cell and that run's repetitions; nothing for a run with the
 * outcome error.
 */
function regressionsOf(
  resultsPath: string,
  { run_id, cell, outcome, unchecked }: RunRecord,
  { composite_score, details, judge }: Metrics,
  cost_usd: number | null,
): Regression[] {
  if (!isTested({ outcome, unchecked })) return [];
  const index = resultsIndex(resultsPath);
  const before = index.previous(cell, run_id);
  if (before === null) return [];
  const gatesFailed = details.filter(({ status }) => status === 'fail').map(gateKey);
  const now = {
    composite_score: composite_score ?? null,
    judge_score: judge?.weighted_score ?? null,
    cost_usd,
    gatesFailed,
  };
  return findRegressions(before, now, index.besides(before, run_id));
}

const hostOf = ({ host }: Deps): Pick<ResultLine, 'host'> =>
  host === undefined ? {} : { host: { id: host.id, name: host.name } };

const lostHostsOf = ({ lostHosts }: RunRef): Pick<RunRecord, 'lost_hosts'> =>
  lostHosts === undefined
    ? {}
    : { lost_hosts: lostHosts.map(({ id, name, at }) => ({ id, name, at: new Date(at).toISOString() })) };
