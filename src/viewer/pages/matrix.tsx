import { groupBy } from '#lib/pure';
import type { MatrixCell } from '../protocol.js';
import { embedded } from './api.js';
import { Name } from './parts.js';
import { addressOf } from './router.js';
import { agentName, selectionKey } from '../shared/configuration.js';
import { passedPercent } from './sweeps-page.js';

interface MatrixProps {
  cells: readonly MatrixCell[];
  /** The selected cell; empty if none is. */
  at: string;
  onSelect: (at: string) => void;
}

/** Scenarios (and variants) against agents, each cell coloured by its pass rate. A click selects the runs of a cell. */
export function Matrix({ cells, at, onSelect }: MatrixProps) {
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
                  {isSame || embedded !== null ? (
                    <span class={isSame ? 'hidden' : ''}>
                      <Name>{first?.scenario ?? ''}</Name>
                    </span>
                  ) : (
                    <a href={addressOf('scenarios', first?.scenario ?? '')}>
                      <Name>{first?.scenario ?? ''}</Name>
                    </a>
                  )}
                </th>
                {hasVariants && (
                  <th scope="row" class="variant">
                    <Name>{first?.variant ?? ''}</Name>
                  </th>
                )}
                {columns.map(([column]) => (
                  <td key={column}>
                    <Cell
                      cell={of.find(({ agent, model }) => JSON.stringify([agent, model]) === column)}
                      {...{ at, onSelect }}
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

interface CellProps extends Pick<MatrixProps, 'at' | 'onSelect'> {
  cell: MatrixCell | undefined;
}

function Cell({ cell, at, onSelect }: CellProps) {
  if (cell === undefined) return <span class="soft">–</span>;
  const key = selectionKey(cell);
  const { passed, tested, text, looks } = cell;
  const label = `${cell.scenario} ${cell.variant}, ${agentName(cell)}: ${text}`;
  return (
    <button
      type="button"
      class={`heat ${heatOf(passed, tested)}`}
      aria-pressed={at === key}
      aria-label={label}
      title={label}
      onClick={() => onSelect(at === key ? '' : key)}
    >
      <span class="value">{tested === 0 ? '–' : passedPercent(passed, tested)}</span>
      <span class="dots" aria-hidden="true">
        {looks.length > 0 ? looks.map((look, number) => <i key={number} class={look} />) : text}
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
const group = (cells: readonly MatrixCell[], keyOfCell: (cell: MatrixCell) => string): [string, MatrixCell[]][] =>
  groupBy(cells, keyOfCell).map((some) => [some[0] === undefined ? '' : keyOfCell(some[0]), some]);
