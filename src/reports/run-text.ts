import { join } from 'node:path';
import pc from 'picocolors';
import { formatKnownCost } from '../lib/format/dollars.js';
import { formatDuration } from '../lib/format/duration.js';
import { renderTable, terminalText, textWidth, truncate } from '../lib/format/table.js';
import { wrap } from '../lib/format/wrap.js';
import { gateTitle } from '../results/gate-title.js';
import { runAgainText } from '../results/records/host.js';
import { shownTokens } from '../results/records/recorded-usage.js';
import type { HumanReview } from '../results/records/human-review.js';
import type { AgentRecord, RunRecord } from '../results/records/run-record.js';
import type { GateDetail, Metrics, ResultLine } from '../results/records/result-line.js';
import { REGRESSIONS_OF_RUN } from './regressions.js';
import { givenScore, scoreText, votesText } from '../results/score-text.js';
import type { ActionLog } from '../results/transcript/action-log.js';
import { agentParts } from './agent-parts.js';
import { always, firstItems, fitScreen, type Item, type Part, type Screen } from './screen.js';
import { mark, pathText, type Colors, type TextOptions } from './terminal.js';

/** What `show <run>` is given besides the records of the run. */
export interface RunTextOptions extends Screen, TextOptions {
  /** Absolute. */
  resultsDir?: string;
  human?: HumanReview | null;
  /** What the agent did; null: it left no events. A text says why they cannot be read. */
  actionLog?: ActionLog | null | string;
}

/**
 * Renders `show <run>`: how it ended, which checks failed and why, what the agent did and said, and how each step went.
 * On a small screen, what went well is left out first.
 */
export function renderRun(run: RunRecord, metrics: Metrics, options: RunTextOptions): string {
  const { width } = options;
  const colors = pc.createColors(options.color);
  const rows = (cells: string[][], right: number[] = []): string[] =>
    renderTable(cells, { width, right, indent: '  ' });
  /** A part that loses its last lines first. */
  const section = (
    title: string,
    lines: readonly string[],
    of: Pick<Part, 'items' | 'importance' | 'least'>,
  ): Part => ({
    ...of,
    render: (room) =>
      firstItems(
        ['', colors.bold(title)],
        lines.map((line) => [line]),
        room,
      ),
  });
  const parts = [
    always([...headline(run, width, colors), '', ...rows(facts(run))]),
    section(
      'other attempts',
      (run.agent?.history ?? []).flatMap((line) => indented(line, width)),
      {
        ...{ items: ['attempt line', 'attempt lines'], importance: 2, least: 0 },
      },
    ),
    section(
      'warnings',
      run.warnings.flatMap((warning) => indented(warning, width)),
      {
        ...{ items: ['warning line', 'warning lines'], importance: 5, least: 3 },
      },
    ),
    section(
      REGRESSIONS_OF_RUN.toLowerCase(),
      run.regressions.flatMap(({ message }) => indented(message, width)),
      {
        ...{ items: ['regression line', 'regression lines'], importance: 4, least: 3 },
      },
    ),
    ...gatesParts(metrics, width, colors),
    ...actionParts(run, metrics, options, colors),
    stepsPart(run, rows, colors),
    section('evaluators', rows(evaluatorRows(metrics)), {
      ...{ items: ['evaluator', 'evaluators'], importance: 3, least: 0 },
    }),
    section('judge', rows(judgeRows(metrics, colors)), {
      ...{ items: ['judge line', 'judge lines'], importance: 7, least: 3 },
    }),
    section('human review', reviewLines(options.human ?? null), {
      ...{ items: ['line of the human review', 'lines of the human review'], importance: 6, least: 3 },
    }),
    // Never cut, so that the path can be copied.
    always(
      options.resultsDir === undefined
        ? []
        : ['', `report  ${pathText(join(options.resultsDir, 'report.md'), options)}`],
    ),
  ];
  return `${fitScreen(parts, options).join('\n')}\n`;
}

const indented = (text: string, width: number, indent = '  '): string[] =>
  wrap(text, width - indent.length).map((line) => `${indent}${line}`);

/** The message follows the name if there is room, else it has lines of its own. That of gates is repeated below. */
function headline({ outcome, scenario, message }: RunRecord, width: number, colors: Colors): string[] {
  const name = terminalText(scenario.name);
  const start = truncate(`${mark(outcome, colors)}  ${colors.bold(name)}`, width);
  const line = `${start}  ${terminalText(message)}`;
  if (textWidth(line, width) <= width) return [line];
  return outcome === 'fail' ? [truncate(line, width)] : [start, ...indented(message, width)];
}

function facts(run: RunRecord): string[][] {
  const { agent } = run;
  const used = agent === null ? null : tokens(agent);
  const again = runAgainText(run.lost_hosts);
  const cost = formatKnownCost(agent?.cost_usd ?? null, agent?.cost_usd_at_least);
  return [
    ['run', terminalText(run.run_id)],
    [
      'agent',
      terminalText(
        `${run.agent_name} ${agent?.version ?? ''}`.trim() + `, ${agent?.model_used ?? run.model}`,
      ),
    ],
    ['cell', terminalText(`${run.variant} #${run.repetition}, started ${run.started_at}`)],
    [
      'took',
      `${formatDuration(run.duration_secs * 1000)}, cost ${cost}${used === 'n/a' ? ', tokens n/a' : ''}`,
    ],
    ...(run.host === undefined ? [] : [['host', terminalText(run.host.name)]]),
    ...(again === null ? [] : [['again', terminalText(again)]]),
    ...(used === null || used === 'n/a' ? [] : [['tokens', used]]),
    ...(agent?.completed === true
      ? []
      : [['ended', agent === null ? notStarted(run) : terminalText(agent.message)]]),
  ];
}

/** Gates that did not pass come first, with the whole message. The others are among the first to be left out. */
function gatesParts(metrics: Metrics, width: number, colors: Colors): Part[] {
  const failed = metrics.details.filter(({ status }) => status !== 'pass');
  const passed = metrics.details.filter(({ status }) => status === 'pass');
  const head = ['', colors.bold(`gates ${metrics.gates_passed}/${metrics.gates_total}`)];
  if (metrics.details.length === 0) return [always(head)];
  const failures = failed.map((gate): Item => {
    const title = truncate(`  ${mark(gate.status, colors)}  ${terminalText(gateTitle(gate))}`, width);
    return [title, ...indented(gate.message, width, '      ')];
  });
  const rows = gateRows(passed, { width, color: colors.isColorSupported }).map((row): Item => [row]);
  const part = (items: readonly Item[], top: Item, of: Pick<Part, 'importance' | 'least'>): Part => ({
    ...{ items: ['gate', 'gates'], ...of },
    render: (room) => firstItems(top, items, room),
  });
  return [
    part(failures, head, { importance: 9, least: 8 }),
    part(rows, failed.length === 0 ? head : [], { importance: 2, least: 0 }),
  ];
}

function actionParts(
  run: RunRecord,
  metrics: Metrics,
  { actionLog = null, width }: RunTextOptions,
  colors: Colors,
): Part[] {
  if (actionLog === null) return [];
  if (typeof actionLog === 'string')
    return [always(['', colors.bold('commands'), ...indented(actionLog, width)])];
  return agentParts(actionLog, { ...{ width, colors }, calls: metrics.efficiency?.total_commands ?? null });
}

/** Steps that were not done stay longest. */
function stepsPart(
  { steps }: RunRecord,
  rows: (cells: string[][], right: number[]) => string[],
  colors: Colors,
): Part {
  const lines = rows(
    steps.map((step) => [
      mark(step.status, colors),
      terminalText(step.name),
      step.duration_ms === null ? 'n/a' : formatDuration(step.duration_ms),
      step.attempts > 1 ? `attempt ${step.attempts}` : '',
      terminalText(step.note ?? ''),
    ]),
    [2],
  );
  const isDone = (index: number): number => (steps[index]?.status === 'done' ? 1 : 0);
  const items = lines.map((line): Item => [line]);
  return {
    items: ['step', 'steps'],
    importance: 1,
    least: 0,
    render: (room) => firstItems(['', colors.bold('steps')], items, room, isDone),
  };
}

const evaluatorRows = ({ evaluator_results: results }: Metrics): string[][] =>
  results.map(({ name, score, summary, error }) => [
    terminalText(name),
    scoreText(score),
    terminalText(error === null ? (summary ?? '') : `evaluator error: ${error}`),
  ]);

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

/** Renders a human review, with the notes line by line. */
const reviewLines = (human: HumanReview | null): string[] =>
  human === null
    ? []
    : [
        givenScore(human),
        ...(human.reviewer === null ? [] : [`by ${human.reviewer}`]),
        ...Object.entries(human.criteria ?? {}).map(([id, score]) => `${id} ${scoreText(score)}`),
        ...Object.entries(human.gates ?? {}).map(([number, verdict]) => `gate ${number} ${verdict}`),
        ...(human.labels === undefined ? [] : [`labels ${human.labels.join(', ')}`]),
        ...(human.problem === null ? [] : [human.problem]),
        ...(human.notes?.split('\n') ?? []),
      ].map((line) => `  ${terminalText(line)}`.trimEnd());

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
