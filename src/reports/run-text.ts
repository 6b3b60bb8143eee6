import { join } from 'node:path';
import pc from 'picocolors';
import { formatKnownCost } from '../lib/format/dollars.js';
import { formatDuration } from '../lib/format/duration.js';
import { renderTable, terminalText } from '../lib/format/table.js';
import { gateTitle } from '../results/gate-title.js';
import { shownTokens } from '../results/records/recorded-usage.js';
import type { AgentRecord, RunRecord } from '../results/records/run-record.js';
import type { GateDetail, Metrics, ResultLine } from '../results/records/result-line.js';
import { scoreText, votesText } from '../results/score-text.js';
import { REGRESSIONS } from './regressions.js';
import { mark, pathText, type Colors, type TextOptions } from './terminal.js';

/** Renders `show <run>`: what ran, how each step went, and what was found. */
export function renderRun(
  run: RunRecord,
  metrics: Metrics,
  options: TextOptions & { /** Absolute. */ resultsDir?: string },
): string {
  const colors = pc.createColors(options.color);
  const rows = (cells: string[][], right: number[] = []): string[] =>
    renderTable(cells, { width: options.width, right, indent: '  ' });
  const section = (title: string, lines: string[]): string[] =>
    lines.length === 0 ? [] : ['', colors.bold(title), ...lines];
  const { agent } = run;
  const lines = [
    `${mark(run.outcome, colors)}  ${colors.bold(terminalText(run.scenario.name))}  ${terminalText(run.message)}`,
    '',
    ...rows([
      ['run', terminalText(run.run_id)],
      ['agent', terminalText(`${run.agent_name} ${agent?.version ?? ''}`)],
      ['model', terminalText(agent?.model_used ?? run.model)],
      ['cell', terminalText(`${run.variant} #${run.repetition}`)],
      ['started', terminalText(run.started_at)],
      ['duration', formatDuration(run.duration_secs * 1000)],
      ['cost', formatKnownCost(agent?.cost_usd ?? null, agent?.cost_usd_at_least)],
      ...(agent === null ? [] : [['tokens', tokens(agent)]]),
      ['ended', agent === null ? notStarted(run) : terminalText(agent.message)],
    ]),
    ...section(
      'other attempts',
      (agent?.history ?? []).map((line) => `  ${terminalText(line)}`),
    ),
    ...section(
      'warnings',
      run.warnings.map((warning) => `  ${terminalText(warning)}`),
    ),
    ...section(
      REGRESSIONS.toLowerCase(),
      run.regressions.map(({ message }) => `  ${terminalText(message)}`),
    ),
    ...section(
      'steps',
      rows(
        run.steps.map((step) => [
          mark(step.status, colors),
          terminalText(step.name),
          step.duration_ms === null ? 'n/a' : formatDuration(step.duration_ms),
          step.attempts > 1 ? `attempt ${step.attempts}` : '',
          terminalText(step.note ?? ''),
        ]),
        [2],
      ),
    ),
    ...section(`gates ${metrics.gates_passed}/${metrics.gates_total}`, [
      ...gateRows(metrics.details, options),
    ]),
    ...section(
      'evaluators',
      rows(
        metrics.evaluator_results.map(({ name, score, summary, error }) => [
          terminalText(name),
          scoreText(score),
          terminalText(error === null ? (summary ?? '') : `evaluator error: ${error}`),
        ]),
      ),
    ),
    ...section('judge', rows(judgeRows(metrics, colors))),
    // Never cut, so that the path can be copied.
    ...(options.resultsDir === undefined
      ? []
      : ['', `report  ${pathText(join(options.resultsDir, 'report.md'), options)}`]),
  ];
  return `${lines.join('\n')}\n`;
}

function judgeRows({ judge }: Metrics, colors: Colors): string[][] {
  if (judge === null) return [];
  const points = (title: string, items: readonly string[]): string[][] =>
    items.map((item) => ['', title, terminalText(item)]);
  const votes = votesText(judge);
  return [
    [
      mark(judge.passed ? 'pass' : 'fail', colors),
      scoreText(judge.weighted_score),
      `threshold ${scoreText(judge.pass_threshold)}, confidence ${scoreText(judge.confidence)}, ${terminalText(judge.model)}`,
    ],
    ...(votes === null ? [] : [['', '', votes]]),
    ...Object.entries(judge.scores).map(([id, value]) => ['', scoreText(value), terminalText(id)]),
    ...points('issue', judge.issues),
    ...points('highlight', judge.highlights),
  ];
}

/** Formats tokens: "input 1,200, output 350, reasoning n/a, ...". An unknown count is not 0. */
function tokens(agent: AgentRecord): string {
  const { usage, atLeast } = shownTokens(agent);
  const { input, output, reasoning, cache_read, cache_write } = usage;
  const parts: [number | null, string][] = [
    [input, 'input'],
    [output, 'output'],
    [reasoning, 'reasoning'],
    [cache_read, 'cache read'],
    [cache_write, 'cache write'],
  ];
  if (parts.every(([count]) => count === null)) return 'n/a';
  const counts = parts.map(([count, word]) => `${word} ${count?.toLocaleString('en') ?? 'n/a'}`).join(', ');
  return `${atLeast ? 'at least ' : ''}${counts}`;
}

const notStarted = ({ scenario }: RunRecord): string =>
  scenario.prompt === null ? 'no agent took part' : 'the agent was not started';

const gateRows = (gates: readonly GateDetail[], { color, width }: TextOptions): string[] =>
  renderTable(
    gates.map((gate) => [
      mark(gate.status, pc.createColors(color)),
      terminalText(gateTitle(gate)),
      terminalText(gate.message),
    ]),
    { width, right: [], indent: '  ' },
  );

/** Renders the verdicts of a run's gates, below a line that names the run. */
export const renderGates = (line: ResultLine, label: string, options: TextOptions): string =>
  [
    `${mark(line.outcome, pc.createColors(options.color))}  ${terminalText(label)}`,
    ...gateRows(line.metrics?.details ?? [], options),
    '',
  ].join('\n');
