import { Context } from '@temporalio/activity';
import { gateSubject } from '../gates/index.js';
import { createExactRedactor } from '../lib/redact.js';
import { writeFileAtomic } from '../platform/write-file.js';
import { renderEvaluation } from '../reports/evaluation-md.js';
import { renderReport } from '../reports/report-md.js';
import { compositeScore } from '../results/composite.js';
import type { AgentRecord, CommandRecord, RunRecord, StepRecord } from '../results/run-record.js';
import { SCHEMA_VERSION, type EvaluatorResult, type GateDetail, type Metrics } from '../results/schema.js';
import { decideOutcome } from '../results/verdict.js';
import { resultsLog } from '../store/results-folder.js';
import { appendResult } from '../store/results-log.js';
import { STEPS, type ReportInput, type RunRef, type RunResult } from '../workflows/protocol.js';
import { addPostScripts, keepLostStarts, writeHuman, type AgentStep } from './agent-step.js';
import { heartbeating } from './heartbeat.js';
import { lastStart } from './run-agent.js';
import { publishStep, readStep, type Manifest } from './publish-step.js';
import { loadRun, type Deps, type RunContext } from './run-context.js';
import type { Prepared } from './workspace.js';

/** Collects what the steps left, decides the outcome and writes every file of the run, redacted. */
export const writeReport =
  (deps: Deps) =>
  async (run: RunRef, input: ReportInput): Promise<RunResult> => {
    const context = await loadRun(deps, run);
    return publishStep<RunResult>(context, STEPS.report, () =>
      heartbeating(() => write(deps, context, input)),
    );
  };

async function write({ resultsPath }: Deps, context: RunContext, input: ReportInput): Promise<RunResult> {
  const { files, redact, secrets, environment, handle } = context;
  const found = await collect(context, input);
  const record = redactDeep(runRecord(context, input, found), redact);
  const metrics = redactDeep(metricsOf(context, record, found), redact);

  if (found.agent !== null && found.agent.result.record.starts > 0) {
    await addPostScripts(context, found.posts);
    await writeHuman(context);
  }
  await keepLostStarts(context, found.agent?.result.record.starts ?? (await lastStart(handle.root)) + 1);
  await environment.collect(
    handle,
    files.fixture,
    secrets.length === 0 ? null : createExactRedactor({ secrets }),
  );
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
    cost_usd: record.agent?.cost_usd ?? null,
    completed: metrics.completed,
    gates_passed: metrics.gates_passed,
    gates_total: metrics.gates_total,
    judge_score: null,
    outcome: record.outcome,
    message: record.message,
    metrics,
    results_dir: context.run.run,
    attempts: Math.max(1, record.agent?.starts ?? 1),
  });
  return { outcome: record.outcome, message: record.message, costUsd: record.agent?.cost_usd ?? null };
}

interface Found {
  prepared: Manifest<Prepared> | null;
  agent: Manifest<AgentStep> | null;
  posts: (Manifest<CommandRecord> | null)[];
  gates: (Manifest<GateDetail> | null)[];
  evaluators: (Manifest<EvaluatorResult> | null)[];
  gateDetails: GateDetail[];
}

async function collect(context: RunContext, { failures }: ReportInput): Promise<Found> {
  const { scenario } = context;
  const each = <T>(
    list: readonly unknown[],
    step: (index: number) => string,
  ): Promise<(Manifest<T> | null)[]> =>
    Promise.all(list.map((_, index) => readStep<T>(context, step(index))));
  const gates = await each<GateDetail>(scenario.evaluation.gates, STEPS.gate);
  const gateDetails = scenario.evaluation.gates.flatMap((gate, index): GateDetail[] => {
    const manifest = gates[index];
    if (manifest !== null && manifest !== undefined) return [manifest.result];
    const failure = failures.find(({ step }) => step === STEPS.gate(index));
    if (failure === undefined) return [];
    const broken = {
      status: 'error',
      passed: false,
      message: failure.message,
      detail: null,
      duration_ms: 0,
    } as const;
    return [{ index, gate_type: gate.type, name: gate.name ?? null, subject: gateSubject(gate), ...broken }];
  });
  return {
    prepared: await readStep<Prepared>(context, STEPS.prepare),
    agent: await readStep<AgentStep>(context, STEPS.agent),
    posts: await each<CommandRecord>(scenario.scripts.post, STEPS.post),
    gates,
    evaluators: await each<EvaluatorResult>(scenario.scripts.evaluators, STEPS.evaluator),
    gateDetails,
  };
}

function runRecord(context: RunContext, input: ReportInput, found: Found): RunRecord {
  const { run, scenario } = context;
  const prepared = found.prepared?.result ?? null;
  const agent = found.agent?.result.record ?? null;
  const unfit = prepared?.unfit ?? null;
  const decision = decideOutcome({
    cancelled: input.cancelled,
    stepFailure: failureMessage(input),
    unfit,
    agent,
    gates: found.gateDetails,
  });
  const posts = found.posts.flatMap((manifest) => (manifest === null ? [] : [manifest.result]));
  return {
    schema_version: SCHEMA_VERSION,
    run_id: run.run,
    sweep: run.sweep,
    cell: run.cell.id,
    workflow_id: run.workflowId,
    scenario: {
      name: scenario.name,
      description: scenario.description,
      file: context.scenarioFile,
      hash: context.scenarioHash,
      tier: scenario.tier,
      tags: scenario.tags,
      prompt: scenario.task.prompt,
    },
    target: {
      binary: context.target.binary,
      resolved: prepared?.resolved ?? null,
      health_check: prepared?.health_check ?? null,
    },
    agent_name: run.cell.agent,
    model: run.cell.model,
    variant: run.cell.variant,
    repetition: run.cell.repetition,
    environment: scenario.environment.type,
    started_at: new Date(input.startedAt).toISOString(),
    ended_at: new Date(input.endedAt).toISOString(),
    duration_secs: Math.round(input.endedAt - input.startedAt) / 1000,
    ...decision,
    agent,
    setup: prepared?.setup ?? [],
    post_scripts: posts,
    steps: stepRecords(context, input, found, unfit),
    warnings: [...(prepared?.warnings ?? []), ...notices(context, posts, agent)],
  };
}

/** The first step that failed for good, other than a gate: those stand in the list of gates. */
function failureMessage({ failures }: ReportInput): string | null {
  const failure = failures.find(({ step }) => !step.startsWith('gate '));
  return failure === undefined ? null : `step '${failure.step}' could not be performed: ${failure.message}`;
}

/** What is asked for and not done, and post scripts that failed. */
function notices({ scenario, run }: RunContext, posts: CommandRecord[], agent: AgentRecord | null): string[] {
  return [
    ...(agent?.containment === 'group'
      ? [
          'no PID namespace here: what the agent started was contained by its session and a mark in the environment',
        ]
      : []),
    ...posts
      .filter((post) => post.exit_code !== 0)
      .map(
        (post) =>
          `post script failed (${post.timed_out ? 'timed out' : `exit ${post.exit_code ?? 'by signal'}`}): ${post.command}`,
      ),
    ...(scenario.evaluation.judge?.enabled === true
      ? ['judge: not performed; this version has no judge yet']
      : []),
    ...(scenario.run.max_turns === undefined
      ? []
      : [`run.max_turns: the agent ${run.cell.agent} has no such limit; not enforced`]),
    ...(scenario.cost.max_usd === undefined
      ? []
      : ['cost.max_usd: the cost of this agent is not known; not enforced']),
  ];
}

function stepRecords(
  context: RunContext,
  { failures, cancelled }: ReportInput,
  found: Found,
  unfit: string | null,
): StepRecord[] {
  const planned: [string, Manifest<unknown> | null][] = [
    [STEPS.prepare, found.prepared],
    [STEPS.agent, found.agent],
    ...found.posts.map((manifest, index): [string, Manifest<unknown> | null] => [
      STEPS.post(index),
      manifest,
    ]),
    ...found.gates.map((manifest, index): [string, Manifest<unknown> | null] => [
      STEPS.gate(index),
      manifest,
    ]),
    ...found.evaluators.map((manifest, index): [string, Manifest<unknown> | null] => [
      STEPS.evaluator(index),
      manifest,
    ]),
  ];
  const reason = cancelled
    ? 'the run was cancelled'
    : unfit !== null
      ? 'the workspace was not fit for the agent'
      : found.agent?.result.record.ending === 'unable'
        ? 'the agent could not work'
        : 'a step before it failed';
  const { attempt } = Context.current().info;
  return [
    ...planned.map(([name, manifest]): StepRecord => {
      if (manifest !== null) {
        return {
          name,
          status: 'done',
          duration_ms: manifest.duration_ms,
          attempts: manifest.attempt,
          note: null,
        };
      }
      const failure = failures.find(({ step }) => step === name);
      return failure === undefined
        ? { name, status: 'not_performed', duration_ms: null, attempts: 0, note: reason }
        : { name, status: 'failed', duration_ms: null, attempts: 0, note: failure.message };
    }),
    { name: STEPS.report, status: 'done', duration_ms: null, attempts: attempt, note: null },
  ];
}

function metricsOf(context: RunContext, record: RunRecord, found: Found): Metrics {
  const gates = found.gateDetails;
  const passed = gates.filter(({ status }) => status === 'pass').length;
  const total = context.scenario.evaluation.gates.length;
  const efficiency = found.agent?.result.efficiency ?? null;
  const { composite } = context.scenario.evaluation;
  return {
    schema_version: SCHEMA_VERSION,
    run_id: record.run_id,
    outcome: record.outcome,
    completed: record.agent?.completed ?? null,
    gates_passed: passed,
    gates_total: total,
    details: gates,
    efficiency,
    judge: null,
    // Of a run that could not be tested there is nothing to weigh.
    ...(composite === undefined || record.outcome === 'error' || record.outcome === 'cancelled'
      ? {}
      : {
          composite_score: compositeScore(composite, {
            judgeScore: null,
            gatesPassed: passed,
            gatesTotal: total,
            firstTrySuccessRate: efficiency?.first_try_success_rate ?? null,
          }),
        }),
    evaluator_results: found.evaluators.flatMap((manifest) => (manifest === null ? [] : [manifest.result])),
  };
}

/** A copy in which every text is masked; keys and numbers stay. */
function redactDeep<T>(value: T, redact: (text: string) => string): T {
  return JSON.parse(redact(JSON.stringify(value))) as T;
}
