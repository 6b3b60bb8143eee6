import { Fragment } from 'preact';
import { countOf } from './count-cells.js';
import type { SweepCell } from '../../results/records/sweep-document.js';
import type { OpenRunState } from '../protocol.js';
import { Name } from './parts.js';
import { agentName, keyOf } from './select-runs.js';
import { percent } from './sweeps-page.js';

interface MatrixProps {
  cells: readonly SweepCell[];
  running: ReadonlyMap<string, OpenRunState>;
  /** The selected cell; empty if none is. */
  at: string;
  onSelect: (at: string) => void;
}

/** Scenarios (and variants) against agents, each cell coloured by its pass rate. A click selects the runs of a cell. */
export function Matrix({ cells, running, at, onSelect }: MatrixProps) {
  const rows = group(cells, ({ scenario, variant }) => JSON.stringify([scenario, variant]));
  const columns = group(cells, ({ agent, model }) => JSON.stringify([agent, model]));
  const hasVariants = cells.some(({ variant }) => variant !== 'default');
  if (cells.length === 0) return null;
  return (
    <section aria-label="Outcomes" class="card scroll" tabIndex={0}>
      <table class="matrix">
        <caption class="hidden">Pass rates by scenario and agent</caption>
        <thead>
          <tr>
            <th scope="col">Scenario</th>
            {hasVariants && <th scope="col">Variant</th>}
            {columns.map(([key, [first]]) => (
              <th key={key} scope="col">
                <Name>{first === undefined ? '' : agentName(first)}</Name>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([row, of], number) => {
            const [first] = of;
            const isSame = rows[number - 1]?.[1][0]?.scenario === first?.scenario;
            return (
              <tr key={row} class={isSame ? 'same' : ''}>
                <th scope="row">
                  <span class={isSame ? 'hidden' : ''}>
                    <Name>{first?.scenario ?? ''}</Name>
                  </span>
                </th>
                {hasVariants && (
                  <th scope="row" class="variant">
                    <Name>{first?.variant ?? ''}</Name>
                  </th>
                )}
                {columns.map(([column]) => (
                  <td key={column}>
                    <Cell
                      cells={of.filter(({ agent, model }) => JSON.stringify([agent, model]) === column)}
                      {...{ running, at, onSelect }}
                    />
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

/** More are not drawn one by one. */
const MOST_DOTS = 12;

function Cell({ cells, running, at, onSelect }: MatrixProps) {
  const [first] = cells;
  if (first === undefined) return <span class="soft">–</span>;
  const key = keyOf(first);
  const { passed, tested, text } = countOf(cells, running);
  const label = `${first.scenario} ${first.variant}, ${agentName(first)}: ${text}`;
  return (
    <button
      type="button"
      class={`heat ${heatOf(passed, tested)}`}
      aria-pressed={at === key}
      aria-label={label}
      title={label}
      onClick={() => onSelect(at === key ? '' : key)}
    >
      <span class="value">{tested === 0 ? '–' : percent(passed, tested)}</span>
      <span class="dots" aria-hidden="true">
        {cells.length <= MOST_DOTS ? (
          cells.map(({ id, outcome }) => (
            <i key={id} class={running.has(id) ? 'running' : (outcome ?? 'waiting')} />
          ))
        ) : (
          <Fragment>{text}</Fragment>
        )}
      </span>
    </button>
  );
}

/** A step of the colour scale: h0 (all failed) to h4 (all passed); none if nothing was tested. */
function heatOf(passed: number, tested: number): string {
  if (tested === 0) return '';
  if (passed === 0) return 'h0';
  if (passed === tested) return 'h4';
  const rate = passed / tested;
  return rate < 0.4 ? 'h1' : rate < 0.75 ? 'h2' : 'h3';
}

/** Groups cells by a key, in the order of their first ones. */
function group(cells: readonly SweepCell[], keyOfCell: (cell: SweepCell) => string): [string, SweepCell[]][] {
  const groups = new Map<string, SweepCell[]>();
  for (const cell of cells) {
    const key = keyOfCell(cell);
    const known = groups.get(key);
    if (known === undefined) groups.set(key, [cell]);
    else known.push(cell);
  }
  return [...groups];
}
