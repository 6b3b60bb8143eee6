import { type SweepSummary, unfinishedCells } from '#decide';
import { formatAge, formatDuration, renderTable, terminalText } from '#lib';
import { colors, paidText, printText, type TextOptions } from '../blocks/terminal.js';

/** On a narrower terminal, the scenarios and agents of a sweep are on a line of their own. */
const WIDE = 110;

/** Renders a list of sweeps, in the order given. `older` is the number of sweeps that are not shown. */
export function renderSweeps(
  sweeps: readonly SweepSummary[],
  older: number,
  now: number,
  options: TextOptions,
): string {
  const wide = options.width >= WIDE;
  const rows = sweeps.map((sweep) => [
    colors.bold(terminalText(sweep.id)),
    formatAge(now - Date.parse(sweep.started)),
    status(sweep),
    counts(sweep),
    cost(sweep),
    sweep.duration_secs === null ? '' : formatDuration(sweep.duration_secs * 1000),
    ...(wide ? [colors.dim(about(sweep))] : []),
  ]);
  const table = renderTable(rows, { width: options.width, right: [4, 5] });
  const narrow = (line: string, at: number): string[] => {
    const sweep = sweeps[at];
    const more = sweep === undefined ? [] : renderTable([[about(sweep)]], { width: options.width, indent: '  ' });
    return [line, ...more.map((text) => colors.dim(text))];
  };
  return printText(
    [
      wide ? table : table.flatMap(narrow),
      older > 0 ? [colors.dim(`${older} older; show all with --limit ${sweeps.length + older}`)] : [],
    ],
    options,
  );
}

function status({ status: state }: SweepSummary): string {
  switch (state) {
    case 'open':
      return colors.cyan(state);
    case 'completed':
      return state;
    case 'cancelled':
      return colors.yellow(state);
  }
}

/** Formats the cells by outcome, in the order of the legend: "✓ 5  ✗ 1  · 2". */
function counts({ totals }: SweepSummary): string {
  const { passed, failed, errored, cancelled, cached } = totals;
  const waiting = unfinishedCells(totals);
  const parts: [number, string][] = [
    [passed, colors.green(`✓ ${passed}`)],
    [failed, colors.red(`✗ ${failed}`)],
    [errored, colors.magenta(`! ${errored}`)],
    [cancelled, colors.yellow(`- ${cancelled}`)],
    [waiting, colors.dim(`· ${waiting}`)],
    [cached, colors.dim(`${cached} cached`)],
  ];
  return parts.flatMap(([count, text]) => (count > 0 ? [text] : [])).join('  ');
}

const cost = ({ cost_usd: usd, cost_unknown: unknown }: SweepSummary): string =>
  usd === null && unknown === 0 ? '' : paidText({ usd, unknown });

const about = ({ scenarios, agents, owner }: SweepSummary): string =>
  terminalText(
    [some(scenarios, 'scenarios'), some(agents, 'agents'), ...(owner === undefined ? [] : [owner])].join(' · '),
  );

const some = (names: readonly string[], what: string): string =>
  names.length <= 2 ? names.join(', ') : `${names.length} ${what}`;
