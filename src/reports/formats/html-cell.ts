import { formatKnownCost, shortKnownCost } from '../../lib/format/dollars.js';
import { formatDuration } from '../../lib/format/duration.js';
import { compositeTier } from '../../results/composite.js';
import { commandEnd, type CommandRecord, type RunRecord } from '../../results/records/run-record.js';
import type { Metrics } from '../../results/records/result-line.js';
import { givenScore, scoreText, votesText } from '../../results/score-text.js';
import { shownTokens } from '../../results/records/recorded-usage.js';
import type { SweepCell } from '../../results/records/sweep-document.js';
import { optionalArtifacts } from '../artifact-links.js';
import { tokenText } from './effort.js';
import { actionSection } from './html-actions.js';
import { anchorOf } from './html-matrix.js';
import { markup, type Markup, type Part } from './markup.js';
import { REGRESSIONS_OF_RUN } from '../regressions.js';
import { fileUrl, type ReportedCell } from './sweep-report.js';

interface Place {
  /** Number of the cell in the sweep, from 0. */
  at: number;
  name: readonly string[];
  base: string;
}

/** Renders a cell: its outcome, name and figures on one line, and the records of its run when it is opened. */
export function cellDetails(reported: ReportedCell, { at, name, base }: Place): Markup {
  const { cell, records } = reported;
  const outcome = cell.outcome ?? 'waiting';
  const [scenario = '', ...rest] = name;
  const why =
    cell.outcome === null || cell.outcome === 'pass' || cell.message === null
      ? null
      : markup`<span class="why">${cell.message}</span>`;
  return markup`<details class="card cell ${outcome}">
<summary><span><span class="chip ${outcome}">${outcome}</span></span><span class="names">${scenario} ${rest.map((part) => markup`<span>${part}</span> `)}</span><span class="figures">${figures(cell)}</span>${why}</summary>
<div class="inside" id="${anchorOf(at)}">
${missingNote(reported)}${warnings(cell, records?.run ?? null)}${review(cell)}${
    records === null
      ? null
      : [
          facts(cell, records.run, records.metrics),
          gates(records.metrics),
          actionSection(records),
          judge(records.metrics),
          evaluators(records.metrics),
          commands(records.run),
          files(records.run, cell, base),
        ]
  }</div>
</details>
`;
}

const figures = (cell: SweepCell): string =>
  [
    ...(cell.gates_total === null ? [] : [`gates ${cell.gates_passed ?? 0}/${cell.gates_total}`]),
    ...(cell.judge_score === null ? [] : [`judge ${scoreText(cell.judge_score)}`]),
    ...(cell.human === undefined ? [] : [`human ${givenScore(cell.human)}`]),
    ...(cell.duration_secs === null ? [] : [formatDuration(cell.duration_secs * 1000)]),
    ...(cell.cost_usd === null && cell.cost_usd_at_least === undefined
      ? []
      : [shortKnownCost(cell.cost_usd, cell.cost_usd_at_least)]),
    ...(cell.cached ? ['cached'] : []),
  ].join(' · ');

const section = (title: string, content: Part): Markup => markup`<h3>${title}</h3>
${content}
`;

function missingNote({ cell, records, missing }: ReportedCell): Markup | null {
  if (missing !== null) return markup`<p class="note">Nothing more is known about this run: ${missing}.</p>`;
  if (records !== null) return null;
  return markup`<p class="soft">${cell.outcome === null ? 'No result yet.' : 'Nothing was run.'}</p>`;
}

function warnings(cell: SweepCell, run: RunRecord | null): Part {
  const worse = cell.cached
    ? []
    : cell.regressions.map(({ message }) => `${REGRESSIONS_OF_RUN.toLowerCase()}: ${message}`);
  const all = [...(run?.warnings ?? []), ...worse];
  return all.map((text) => markup`<p class="note text">${text}</p>`);
}

function facts(cell: SweepCell, run: RunRecord, metrics: Metrics): Markup {
  const { agent } = run;
  const { usage, atLeast } = agent === null ? { usage: null, atLeast: false } : shownTokens(agent);
  const sign = atLeast ? 'at least ' : '';
  const composite = metrics.composite_score;
  const known: [string, string][] = [
    ['agent', `${run.agent_name} ${agent?.version ?? ''}`],
    ['model', agent?.model_used ?? run.model],
    ['how the agent ended', agent === null ? 'it was not started' : agent.message],
    ['started', run.started_at.replace('T', ' ').replace(/\.\d+Z$/, ' UTC')],
    ['duration', formatDuration(run.duration_secs * 1000)],
    ['cost', formatKnownCost(cell.cost_usd, cell.cost_usd_at_least)],
    ...(usage === null
      ? []
      : ([
          ['tokens in / out', `${sign}${tokenText(usage.input)} / ${tokenText(usage.output)}`],
          ['cache read / written', `${sign}${tokenText(usage.cache_read)} / ${tokenText(usage.cache_write)}`],
        ] as [string, string][])),
    ...(composite === undefined
      ? []
      : ([['composite score', `${scoreText(composite)} (${compositeTier(composite)})`]] as [
          string,
          string,
        ][])),
    ...(metrics.efficiency === null
      ? []
      : ([
          ['calls to the target', `${metrics.efficiency.total_commands}`],
          ['failed calls', `${metrics.efficiency.error_count}`],
        ] as [string, string][])),
    ['run', run.run_id],
  ];
  return markup`<dl class="facts">${known.map(
    ([term, value]) => markup`<div><dt>${term}</dt><dd>${value}</dd></div>`,
  )}</dl>
`;
}

function gates({ details, gates_passed: passed, gates_total: total }: Metrics): Markup | null {
  if (total === 0) return null;
  if (details.length === 0) return section('Gates', markup`<p class="soft">No gate was checked.</p>`);
  const rows = details.map(
    (gate) =>
      markup`<tr><td><span class="chip ${gate.status}">${gate.status}</span></td><td class="mono">${gate.gate_type}</td><td>${gate.name ?? gate.subject}</td><td class="text">${gate.message}</td><td class="number">${formatDuration(gate.duration_ms)}</td></tr>
`,
  );
  return section(
    `Gates ${passed}/${total}`,
    markup`<div class="scroll"><table><tbody>
${rows}</tbody></table></div>`,
  );
}

function judge({ judge: found }: Metrics): Markup | null {
  if (found === null) return null;
  const points = (title: string, items: readonly string[]): Part =>
    items.length === 0
      ? null
      : markup`<p>${title}</p><ul>${items.map((item) => markup`<li>${item}</li>`)}</ul>`;
  const scores = Object.entries(found.scores).map(
    ([id, score]) =>
      markup`<tr><td>${id}</td><td><meter min="0" max="1" value="${score}"></meter></td><td class="number">${scoreText(score)}</td></tr>
`,
  );
  const votes = votesText(found);
  return section('Judge', [
    markup`<p><span class="chip ${found.passed ? 'pass' : 'fail'}">${scoreText(found.weighted_score)}</span> threshold ${scoreText(found.pass_threshold)}, confidence ${scoreText(found.confidence)}, by ${found.model}${votes === null ? null : `; ${votes}`}</p>`,
    markup`<div class="scroll"><table class="short"><tbody>
${scores}</tbody></table></div>`,
    points('Issues', found.issues),
    points('Highlights', found.highlights),
  ]);
}

function review({ human }: SweepCell): Markup | null {
  if (human === undefined) return null;
  return section('Human review', [
    markup`<p><span class="chip">${givenScore(human)}</span>${(human.labels ?? []).map((label) => markup` <span class="chip">${label}</span>`)}${human.reviewer === null ? null : ` by ${human.reviewer}`}</p>`,
    human.problem === null ? null : markup`<p class="note text">${human.problem}</p>`,
    human.notes === null ? null : markup`<p class="text">${human.notes}</p>`,
  ]);
}

function evaluators({ evaluator_results: results }: Metrics): Markup | null {
  if (results.length === 0) return null;
  const rows = results.map(
    ({ name, score, summary, error }) =>
      markup`<tr><td>${name}</td><td class="number">${scoreText(score)}</td><td class="text">${error === null ? (summary ?? '') : `evaluator error: ${error}`}</td></tr>
`,
  );
  return section(
    'Evaluators',
    markup`<div class="scroll"><table><tbody>
${rows}</tbody></table></div>`,
  );
}

/** Lists the commands that the harness ran besides the agent. Only failed ones have their output. */
function commands({ setup, context, post_scripts: post }: RunRecord): Markup | null {
  const all = [...setup, ...context, ...post];
  if (all.length === 0) return null;
  const isFine = ({ exit_code: code, timed_out: late }: CommandRecord): boolean => code === 0 && !late;
  const item = (record: CommandRecord): Markup => {
    const output = [record.stdout, record.stderr].filter((text) => text.trim() !== '').join('\n');
    return markup`<li><span class="mono">${record.command}</span> <span class="soft">${commandEnd(record)}, ${formatDuration(record.duration_ms)}</span>${
      isFine(record) || output === '' ? null : markup`<pre class="mono">${output}</pre>`
    }</li>`;
  };
  return section('Setup and scripts', markup`<ul>${all.map(item)}</ul>`);
}

function files(run: RunRecord, { results_dir: folder }: SweepCell, base: string): Markup | null {
  if (folder === null) return null;
  const { transcripts, fixture } = optionalArtifacts(run);
  const all = [
    ['report.md', 'report'],
    ['evaluation.md', 'evaluation'],
    ...(transcripts
      ? [
          ['artifacts/transcript.human.txt', 'transcript'],
          ['artifacts/transcript.raw.txt', 'raw output'],
          ['artifacts/events.jsonl', 'events'],
        ]
      : []),
    ...(fixture ? [['fixture/', 'workspace']] : []),
    ...(run.judge?.artifacts ?? []).map((path) => [path, path.replace(/^artifacts\//, '')]),
    ['metrics.json', 'metrics.json'],
    ['artifacts/run.json', 'run.json'],
  ];
  const items = all.map(
    ([path = '', name = '']) => markup`<li><a href="${fileUrl(base, folder, path)}">${name}</a></li>`,
  );
  return section('Files', markup`<ul class="files">${items}</ul>`);
}
