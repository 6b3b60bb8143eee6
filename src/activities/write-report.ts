import { createBytesRedactor } from '../lib/redact-bytes.js';
import { isSmallTree } from '../platform/is-small-tree.js';
import { writeFileAtomic } from '../platform/write-file.js';
import { renderEvaluation } from '../reports/evaluation-md.js';
import { renderReport } from '../reports/report-md.js';
import { sumOfCosts } from '../results/cost.js';
import { gateKey } from '../results/gate-key.js';
import { findRegressions, type Regression } from '../results/regressions.js';
import type { RunRecord } from '../results/run-record.js';
import { SCHEMA_VERSION, type Metrics } from '../results/schema.js';
import { resultsIndex } from '../store/results-index.js';
import { resultsLog } from '../store/results-folder.js';
import { appendResult } from '../store/results-log.js';
import { STEPS, type ReportInput, type RunRef, type RunResult } from '../workflows/protocol.js';
import { collectSteps } from './report/collect-steps.js';
import { composeMetrics } from './report/compose-metrics.js';
import { composeRecord } from './report/compose-record.js';
import { heartbeating } from './step/heartbeat.js';
import { inMoments } from './step/in-moments.js';
import { lastStart } from './agent/outputs.js';
import { publishStep } from './step/publish-step.js';
import { redactDeep } from './step/redact-deep.js';
import { loadRun, type Deps, type RunContext } from './step/run-context.js';
import { addPostScripts, keepLostStarts, writeHuman } from './agent/transcripts.js';

/** Collects what the steps left, decides the outcome and writes every file of the run, redacted. */
export const writeReport =
  (deps: Deps) =>
  async (run: RunRef, input: ReportInput): Promise<RunResult | null> => {
    const context = await loadRun(deps, run);
    return inMoments(
      () => isSmallTree(context.handle.root),
      () =>
        publishStep<RunResult>(context, STEPS.report, () => heartbeating(() => write(deps, context, input))),
    );
  };

async function write({ resultsPath }: Deps, context: RunContext, input: ReportInput): Promise<RunResult> {
  const { files, redact, secrets, environment, handle } = context;
  const found = await collectSteps(context, input);
  const leftOut = await environment.collect(
    handle,
    files.fixture,
    secrets.length === 0 ? null : createBytesRedactor({ secrets }),
  );
  const composed = redactDeep(composeRecord(context, input, found, leftOut), redact);
  const metrics = redactDeep(composeMetrics(context, composed, found), redact);
  const costs = [composed.agent?.cost_usd ?? null, found.judgeCost];
  const cost_usd = sumOfCosts(costs);
  const record = { ...composed, regressions: regressionsOf(resultsPath, composed, metrics, cost_usd) };

  if (found.agent !== null && found.agent.result.record.starts > 0) {
    await addPostScripts(context, found.posts);
    await writeHuman(context);
  }
  await keepLostStarts(context, found.agent?.result.record.starts ?? (await lastStart(handle.root)) + 1);
  const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
  await writeFileAtomic(files.run, json(record));
  await writeFileAtomic(files.metrics, json(metrics));
  await writeFileAtomic(files.evaluation, renderEvaluation(record, metrics));
  await writeFileAtomic(files.report, renderReport(record, metrics));
  // Last, because it makes the run known: whoever finds the line finds the files.
  await appendResult(resultsLog(resultsPath), {
    schema_version: SCHEMA_VERSION,
    id: record.run_id,
    sweep: record.sweep,
    cell: record.cell,
    scenario_id: record.scenario.name,
    scenario_hash: record.scenario.hash,
    agent: record.agent_name,
    model: record.model,
    variant: record.variant,
    repetition: record.repetition,
    timestamp: record.started_at,
    duration_secs: record.duration_secs,
    cost_usd,
    completed: metrics.completed,
    gates_passed: metrics.gates_passed,
    gates_total: metrics.gates_total,
    judge_score: metrics.judge?.weighted_score ?? null,
    outcome: record.outcome,
    message: record.message,
    metrics,
    results_dir: context.run.run,
    cache_key: found.prepared?.result.cache_key ?? null,
    cached_from: null,
    regressions: record.regressions,
    attempts: Math.max(1, record.agent?.starts ?? 1),
  });
  const known = cost_usd === null ? { knownUsd: sumOfCosts(costs.filter((cost) => cost !== null)) ?? 0 } : {};
  return { outcome: record.outcome, message: record.message, costUsd: cost_usd, ...known };
}

/** What got worse since the cell was run before. Nothing is said of a run that could not be tested. */
function regressionsOf(
  resultsPath: string,
  { run_id, cell, outcome }: RunRecord,
  { composite_score, details, judge }: Metrics,
  cost_usd: number | null,
): Regression[] {
  if (outcome === 'error' || outcome === 'cancelled') return [];
  const before = resultsIndex(resultsPath).previous(cell, run_id);
  if (before === null) return [];
  const gatesFailed = details.filter(({ status }) => status === 'fail').map(gateKey);
  return findRegressions(before, {
    composite_score: composite_score ?? null,
    judge_score: judge?.weighted_score ?? null,
    cost_usd,
    gatesFailed,
  });
}
