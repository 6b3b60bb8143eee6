import { decisionText, type SweepCell } from '#decide';
import { plainText } from '#lib';
import { gateTitle } from '#model';
import { outcomeCounts } from '../sweep/matrix.js';
import { cellColumns } from '../sweep/labels.js';
import type { ReportedCell, SweepFormat, SweepReport } from './sweep-report.js';

/**
 * JUnit XML, as CI services read it: a suite per scenario, a test case per cell. Cells that were cancelled or have not
 * run yet are skipped. Readers require a time, so an unknown one is 0.
 */
export const junit: SweepFormat = { render };

function render(report: SweepReport): string {
  const { document, cells } = report;
  const nameOf = namer(document.cells);
  const scenarios = [...new Set(document.cells.map(({ scenario }) => scenario))];
  const suites = scenarios.map((scenario) => {
    const own = cells.filter(({ cell }) => cell.scenario === scenario);
    return markup`
  <testsuite name="${scenario}" ${counts(own)}>${own.map((reported) => testCase(reported, nameOf))}
  </testsuite>`;
  });
  const verdicts = verdictsOf(report);
  return markup`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="${document.sweep}" ${counts(cells, verdicts)}>${suites}${verdicts.map(verdictSuite)}
</testsuites>
`.markup;
}

function counts(cells: readonly ReportedCell[], verdicts: readonly SweepVerdict[] = []): Markup {
  const { failed, errored, cancelled, waiting } = outcomeCounts(cells.map(({ cell }) => cell));
  const seconds = cells.reduce((sum, { cell }) => sum + (cell.duration_secs ?? 0), 0);
  const more = (...some: SweepVerdict['verdict'][]): number =>
    verdicts.filter(({ verdict }) => some.includes(verdict)).length;
  return markup`tests="${cells.length + verdicts.length}" failures="${failed + more('worse')}" errors="${errored + more('not tested')}" skipped="${cancelled + waiting + more('undecided')}" time="${time(seconds)}"`;
}

/** A verdict on the sweep as a whole: a test case of its own. */
interface SweepVerdict {
  suite: string;
  name: string;
  verdict: NonNullable<SweepReport['night']>['verdict'] | NonNullable<SweepReport['document']['decision']>['verdict'];
  reason: string;
}

/**
 * A loss that began on an earlier night, or that `run --until-clear` has found, fails the report, even if all cells
 * passed.
 */
const verdictsOf = ({ night, document: { decision } }: SweepReport): SweepVerdict[] => [
  ...(night === undefined
    ? []
    : [
        {
          suite: `schedule ${night.schedule}`,
          name: 'not shown to be worse than the reference',
          verdict: night.verdict,
          reason: night.reasons[0] ?? '',
        },
      ]),
  ...(decision === undefined
    ? []
    : [
        {
          suite: 'run --until-clear',
          name: `not worse than ${decision.base.variant ?? decision.base.sweep ?? 'the base'}`,
          verdict: decision.verdict,
          reason: decisionText(decision),
        },
      ]),
];

const verdictSuite = (one: SweepVerdict): Markup => markup`
  <testsuite name="${one.suite}" ${counts([], [one])}>
    <testcase classname="${one.suite}" name="${one.name}" time="0.000">${result(one)}
    </testcase>
  </testsuite>`;

function result({ verdict, reason }: SweepVerdict): Markup | null {
  switch (verdict) {
    case 'better':
    case 'equivalent':
    case 'not worse':
    case 'not shown':
      return null;
    case 'worse':
      return markup`
      <failure type="worse" message="${reason}"/>`;
    case 'not tested':
      return markup`
      <error type="not tested" message="${reason}"/>`;
    case 'undecided':
      return markup`
      <skipped message="${reason}"/>`;
  }
}

const time = (seconds: number | null): string => (seconds ?? 0).toFixed(3);

/** Readers identify test cases by class and name, across all suites. */
function namer(cells: readonly SweepCell[]): (cell: SweepCell) => string {
  const columns = cellColumns(cells).filter(({ heading }) => heading !== 'Agent');
  return (cell) => columns.map(({ of }) => of(cell)).join(' ');
}

function testCase(reported: ReportedCell, nameOf: (cell: SweepCell) => string): Markup {
  const { cell } = reported;
  const known = properties(reported);
  const about =
    known.length === 0
      ? null
      : markup`
      <properties>${known}
      </properties>`;
  return markup`
    <testcase classname="${cell.agent}/${cell.model}" name="${nameOf(cell)}" time="${time(cell.duration_secs)}">${about}${verdict(reported)}
    </testcase>`;
}

function verdict(reported: ReportedCell): Markup | null {
  const { outcome, message } = reported.cell;
  switch (outcome) {
    case 'pass':
      return null;
    case 'fail':
      return markup`
      <failure type="fail" message="${message ?? ''}">${reasons(reported)}</failure>`;
    case 'error':
      return markup`
      <error type="error" message="${message ?? ''}">${reasons(reported)}</error>`;
    case 'cancelled':
      return markup`
      <skipped message="${message ?? 'cancelled'}"/>`;
    case null:
      return markup`
      <skipped message="not finished"/>`;
  }
}

/** Returns the message, followed by every gate that did not pass, on a line each. */
function reasons({ cell, records, missing }: ReportedCell): Markup[] {
  const gates = (records?.metrics.details ?? []).filter(({ status }) => status !== 'pass');
  const lines = [
    cell.message ?? '',
    ...gates.map((gate) => `${gate.status}: ${gateTitle(gate)}: ${gate.message}`),
    ...(missing === null ? [] : [missing]),
  ];
  return lines.map((line, at) => (at === 0 ? markup`${line}` : markup`\n${line}`));
}

function properties({ cell, records, missing }: ReportedCell): Markup[] {
  const agent = records?.run.agent ?? null;
  const usage = agent?.token_usage;
  const known: [string, string | number | null | undefined][] = [
    ['run', records?.run.run_id],
    ['agent_version', agent?.version],
    ['model_used', agent?.model_used],
    ['cost_usd', cell.cost_usd],
    ['cost_usd_at_least', cell.cost_usd_at_least],
    ['tokens_input', usage?.input],
    ['tokens_output', usage?.output],
    ['tokens_reasoning', usage?.reasoning],
    ['tokens_cache_read', usage?.cache_read],
    ['tokens_cache_write', usage?.cache_write],
    ['gates_passed', cell.gates_passed],
    ['gates_total', cell.gates_total],
    ['judge_score', cell.judge_score],
    ['composite_score', cell.composite_score],
    ['human_score', cell.human?.score],
    ['cached', cell.cached ? 'true' : null],
    ['missing', missing],
  ];
  return known.flatMap(([name, value]) =>
    value == null
      ? []
      : [
          markup`
        <property name="${name}" value="${value}"/>`,
        ],
  );
}

/** Text with our own tags, in which all other text is escaped. */
interface Markup {
  readonly markup: string;
}
/** null produces nothing. */
type Part = string | number | null | Markup | readonly Part[];

/** Template tag for HTML and XML: escapes the inserted values, unless they are markup themselves. */
function markup(texts: TemplateStringsArray, ...parts: Part[]): Markup {
  return { markup: texts.map((text, at) => `${text}${written(parts[at] ?? null)}`).join('') };
}

function written(part: Part): string {
  if (part === null) return '';
  if (typeof part === 'number') return String(part);
  if (typeof part === 'string') return escaped(part);
  return 'markup' in part ? part.markup : part.map(written).join('');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  // In an attribute, these would be read as blanks.
  '\n': '&#10;',
  '\t': '&#9;',
};

/** Escapes text for use between tags and in quotes, and replaces characters that XML 1.0 cannot contain. */
const escaped = (text: string): string =>
  plainText(text)
    .replace(/[\p{Cs}\uFFFE\uFFFF]/gu, '\uFFFD')
    .replace(/[&<>"'\n\t]/g, (character) => ENTITIES[character] ?? '');
