import { join } from 'node:path';
import { formatDuration, renderTable, terminalText, textWidth, truncate, wrap } from '#lib';
import {
  type ActionLog,
  forgeableNotes,
  type GateDetail,
  gateTitle,
  givenScore,
  type HumanReview,
  type Metrics,
  type ResultLine,
  type RunRecord,
  scoreText,
  votesText,
} from '#model';
import { always, fitScreen, type Item, linesPart, part, type Part, type Screen } from '../blocks/screen.js';
import { colors, mark, painted, pathText, type TextOptions } from '../blocks/terminal.js';
import { REGRESSIONS_OF_RUN } from '../sweep/regressions.js';
import { runFacts } from './run-facts.js';
import { agentParts } from './actions.js';
import { readableText } from './shorten.js';

/** Where texts of a run are that are too long for a terminal. */
const RECORD = 'artifacts/run.json';
const METRICS = 'metrics.json';
const REVIEW = 'evaluation.md';

/** The most lines of a gate's message on a screen that is too small for everything. */
const LINES_OF_MESSAGE = 12;

/** The inputs of `show <run>` besides the records of the run. */
export interface RunTextOptions extends Screen, TextOptions {
  /** Absolute. */
  resultsDir?: string;
  human?: HumanReview | null;
  /** The agent's actions; null: it left no events. A text says why they cannot be read. */
  actionLog?: ActionLog | null | string;
}

/**
 * Renders `show <run>`: how it ended, which checks failed and why, what the agent did and said, and how each step went.
 * On a small screen, what went well is left out first.
 */
export function renderRun(run: RunRecord, metrics: Metrics, options: RunTextOptions): string {
  const { width, actionLog = null } = options;
  const section = (title: string, name: string, kept: readonly [number, number], lines: readonly string[]) =>
    linesPart(name, kept, ['', colors.bold(title)], lines);
  const recorded = (texts: readonly string[]): string[] => texts.flatMap((text) => indented(text, width, RECORD));
  const regressions = run.regressions.map(({ message }) => message);
  const parts = [
    always([
      ...headline(run, options),
      '',
      ...rowsOf(
        runFacts('terminal', { run, metrics, actionLog: typeof actionLog === 'string' ? null : actionLog }).map(
          ([label, value]) => [label, terminalText(value)],
        ),
        width,
      ),
    ]),
    section('other attempts', 'attempt line', [2, 0], recorded(run.agent?.history ?? [])),
    section('warnings', 'warning line', [5, 3], recorded(run.warnings)),
    section(REGRESSIONS_OF_RUN.toLowerCase(), 'regression line', [4, 3], recorded(regressions)),
    ...gatesParts(metrics, options),
    ...actionParts(run, metrics, options),
    stepsPart(run, width),
    section('evaluators', 'evaluator', [3, 0], rowsOf(evaluatorRows(metrics), width)),
    section('judge', 'judge line', [7, 3], rowsOf(judgeRows(metrics), width)),
    section('human review', 'line of the human review', [6, 3], reviewLines(options.human ?? null)),
    // Never cut, so that the path can be copied.
    always(
      options.resultsDir === undefined
        ? []
        : ['', `report  ${pathText(join(options.resultsDir, 'report.md'), options)}`],
    ),
  ];
  return painted(fitScreen(parts, options).join('\n'), options);
}

const rowsOf = (cells: readonly string[][], width: number, right: readonly number[] = []): string[] =>
  renderTable(cells, { width, right, indent: '  ' });

/** Wraps a text that is in `file`. */
const indented = (text: string, width: number, file: string, indent = '  '): string[] =>
  wrap(readableText(text, file), width - indent.length).map((line) => `${indent}${line}`);

/**
 * Shortens a message that nothing else makes room for: else, one that is longer than the screen would hide all the
 * rest.
 */
function firstLines(lines: readonly string[], { height, seeAll }: Screen): readonly string[] {
  const more = lines.length - LINES_OF_MESSAGE;
  if (height === undefined || more <= 1) return lines;
  const indent = /^ */.exec(lines[0] ?? '')?.[0] ?? '';
  const rest = `${indent}… ${more} more lines${seeAll === undefined ? '' : `; ${seeAll}`}`;
  return [...lines.slice(0, LINES_OF_MESSAGE), rest];
}

/** The message follows the name if there is room, else it has lines of its own. That of gates is repeated below. */
function headline({ outcome, scenario, message }: RunRecord, options: RunTextOptions): string[] {
  const { width } = options;
  const name = terminalText(scenario.name);
  const start = truncate(`${mark(outcome)}  ${colors.bold(name)}`, width);
  const line = `${start}  ${terminalText(message)}`;
  if (textWidth(line, width) <= width) return [line];
  return outcome === 'fail'
    ? [truncate(line, width)]
    : [start, ...firstLines(indented(message, width, RECORD), options)];
}

/**
 * Gates that did not pass come first, with the whole message if the screen has no end. The others are among the first
 * to be left out.
 */
function gatesParts(metrics: Metrics, options: RunTextOptions): Part[] {
  const { width } = options;
  const failed = metrics.details.filter(({ status }) => status !== 'pass');
  const passed = metrics.details.filter(({ status }) => status === 'pass');
  const head = ['', colors.bold(`gates ${metrics.gates_passed}/${metrics.gates_total}`)];
  if (metrics.details.length === 0) return [always(head)];
  const failures = failed.map((gate): Item => {
    const title = truncate(`  ${mark(gate.status)}  ${terminalText(gateTitle(gate))}`, width);
    return [title, ...firstLines(indented(gate.message, width, METRICS, '      '), options)];
  });
  const rows = gateRows(passed, width).map((row): Item => [row]);
  const items = ['gate', 'gates'] as const;
  return [
    part({ items, importance: 9, least: 8 }, head, failures),
    part({ items, importance: 2, least: 0 }, failed.length === 0 ? head : [], rows),
    always(evidenceLines(metrics, width)),
  ];
}

const evidenceLines = (metrics: Pick<Metrics, 'details'>, width: number): string[] =>
  forgeableNotes(metrics).flatMap((note) => indented(note, width, METRICS));

function actionParts(run: RunRecord, metrics: Metrics, { actionLog = null, width }: RunTextOptions): Part[] {
  if (actionLog === null) return [];
  if (typeof actionLog === 'string')
    return [always(['', colors.bold('commands'), ...indented(actionLog, width, 'artifacts/events.jsonl')])];
  return agentParts(actionLog, width, metrics.efficiency?.total_commands ?? null);
}

/** Steps that were not done stay longest. */
function stepsPart({ steps }: RunRecord, width: number): Part {
  const rows = steps.map((step) => [
    mark(step.status),
    terminalText(step.name),
    step.duration_ms === null ? 'n/a' : formatDuration(step.duration_ms),
    step.attempts > 1 ? `attempt ${step.attempts}` : '',
    terminalText(step.note ?? ''),
  ]);
  return part(
    { items: ['step', 'steps'], importance: 1, least: 0 },
    ['', colors.bold('steps')],
    rowsOf(rows, width, [2]).map((line) => [line]),
    (index) => (steps[index]?.status === 'done' ? 1 : 0),
  );
}

const evaluatorRows = ({ evaluator_results: results }: Metrics): string[][] =>
  results.map(({ name, score, summary, error }) => [
    terminalText(name),
    scoreText(score),
    terminalText(error === null ? (summary ?? '') : `evaluator error: ${error}`),
  ]);

function judgeRows({ judge }: Metrics): string[][] {
  if (judge === null) return [];
  const points = (title: string, items: readonly string[]): string[][] =>
    items.map((item) => ['', title, terminalText(item)]);
  const votes = votesText(judge);
  return [
    [
      mark(judge.passed ? 'pass' : 'fail'),
      scoreText(judge.weighted_score),
      `threshold ${scoreText(judge.pass_threshold)}, confidence ${scoreText(judge.confidence)}, ${terminalText(judge.model)}`,
    ],
    ...(votes === null ? [] : [['', '', votes]]),
    ...Object.entries(judge.scores).map(([id, value]) => ['', scoreText(value), terminalText(id)]),
    ...points('issue', judge.issues),
    ...points('highlight', judge.highlights),
  ];
}

/** Renders a human review, with the notes line by line, which keep their indentation. */
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
        ...(human.notes === null ? [] : [human.notes]),
      ]
        .flatMap((text) => readableText(text, REVIEW).split('\n'))
        .map((line) => `  ${terminalText(line)}`.trimEnd());

const gateRows = (gates: readonly GateDetail[], width: number): string[] =>
  rowsOf(
    gates.map((gate) => [mark(gate.status), terminalText(gateTitle(gate)), terminalText(gate.message)]),
    width,
  );

/** Renders the verdicts of a run's gates, below a line that names the run. */
export const renderGates = (
  line: Pick<ResultLine, 'outcome' | 'metrics'>,
  label: string,
  options: TextOptions,
): string =>
  painted(
    [
      `${mark(line.outcome)}  ${terminalText(label)}`,
      ...gateRows(line.metrics?.details ?? [], options.width),
      ...(line.metrics === null ? [] : evidenceLines(line.metrics, options.width)),
    ].join('\n'),
    options,
  );
