import { formatDuration, formatKnownCost } from '#lib';
import {
  compositeTier,
  type EvaluatorResult,
  judgedIn,
  type Metrics,
  NEXT_HEADING,
  REVIEW_HEADING,
  reviewForm,
  type RunRecord,
  scoreText,
} from '#model';
import { blocks, fence, heading, inline, link, list, table } from '../blocks/markdown.js';
import { judgeFeedback, judgeScore } from './judge-md.js';

/**
 * Renders evaluation.md: the scores of a run, with space for a human's. `run` and `metrics` must be redacted already.
 */
export function renderEvaluation(run: RunRecord, metrics: Metrics): string {
  return blocks([
    heading(1, `Evaluation: ${inline(run.scenario.name)}`),
    heading(2, 'Summary'),
    summary(run, metrics),
    heading(2, 'Judge Score'),
    judgeScore(run, metrics),
    heading(2, 'Metrics'),
    metricsTable(metrics),
    heading(2, 'Judge Feedback'),
    judgeFeedback(run, metrics),
    heading(2, 'Custom Evaluator Results'),
    metrics.evaluator_results.length === 0 ? 'No evaluators were run.' : null,
    ...metrics.evaluator_results.map(evaluator),
    heading(2, REVIEW_HEADING),
    ...reviewForm(judgedIn(metrics)),
    heading(2, NEXT_HEADING),
    links(run),
  ]);
}

function links(run: RunRecord): string {
  const { transcripts, fixture } = optionalArtifacts(run);
  const paths = [
    'report.md',
    'metrics.json',
    ...(transcripts
      ? ['artifacts/transcript.human.txt', 'artifacts/transcript.raw.txt', 'artifacts/events.jsonl']
      : []),
    'artifacts/run.json',
    ...(run.judge?.artifacts ?? []),
    ...(fixture ? ['fixture/'] : []),
  ];
  return list(paths.map(link));
}

function summary(run: RunRecord, metrics: Metrics): string {
  return list([
    `Outcome: **${run.outcome}** (${inline(run.message)})`,
    `Scenario: ${inline(run.scenario.name)}`,
    `Agent: ${inline(run.agent_name)}`,
    `Model: ${inline(run.agent?.model_used ?? run.model)}`,
    `Gates: ${metrics.gates_passed}/${metrics.gates_total}`,
    `Duration: ${formatDuration(run.duration_secs * 1000)}`,
    `Cost: ${formatKnownCost(run.agent?.cost_usd ?? null, run.agent?.cost_usd_at_least)}`,
    ...(metrics.composite_score === undefined
      ? []
      : [`Composite score: ${scoreText(metrics.composite_score)} (${compositeTier(metrics.composite_score)})`]),
  ]);
}

function metricsTable(metrics: Metrics): string {
  const { efficiency } = metrics;
  const rows: [string, string][] = [
    ['Gates passed', `${metrics.gates_passed}/${metrics.gates_total}`],
    ['Agent completed', metrics.completed === null ? 'not started' : metrics.completed ? 'yes' : 'no'],
  ];
  if (efficiency === null) return `${table(['Metric', 'Value'], rows)}\n\nNo transcript was analysed.`;
  rows.push(
    ['Total commands', String(efficiency.total_commands)],
    ['Unique commands', String(efficiency.unique_commands)],
    ['Errors', String(efficiency.error_count)],
    ['Repeated subcommands', String(efficiency.retry_count)],
    ['Help invocations', String(efficiency.help_invocations)],
    ['First-try success rate', scoreText(efficiency.first_try_success_rate)],
    ['Iteration ratio', scoreText(efficiency.iteration_ratio)],
  );
  return table(['Metric', 'Value'], rows);
}

function evaluator(result: EvaluatorResult): string {
  return blocks([
    heading(3, inline(result.name)),
    `Score: ${scoreText(result.score)}`,
    result.error === null ? null : `**Error:** ${inline(result.error)}`,
    result.summary === null ? null : inline(result.summary),
    result.metrics === null ? null : fence(JSON.stringify(result.metrics, null, 2), 'json'),
  ]).trimEnd();
}

/** Returns which of the optional files a run has, because a report must not link to missing files. */
export function optionalArtifacts(run: RunRecord): { transcripts: boolean; fixture: boolean } {
  return {
    transcripts: run.agent !== null && run.agent.starts > 0,
    // If no target was found and no setup command was run, there may have been no workspace.
    fixture: run.agent !== null || run.target?.resolved != null || run.setup.length > 0,
  };
}
