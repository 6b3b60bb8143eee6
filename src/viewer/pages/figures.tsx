import { formatCost, formatDuration } from '#lib/pure';
import type { ConfigurationFigures, Spread } from '../protocol.js';
import { agentName } from '../shared/configuration.js';
import { Name } from './parts.js';
import { passedPercent } from './sweeps-page.js';

/** Rates, costs and durations of the selected runs by configuration: a picture of each, with its numbers. */
export function Figures({ figures }: { figures: readonly ConfigurationFigures[] }) {
  const most = (of: (one: ConfigurationFigures) => Spread | null): number =>
    Math.max(0, ...figures.map((one) => of(one)?.most ?? 0));
  const [dearest, longest] = [most(({ cost }) => cost), most(({ duration }) => duration)];
  if (figures.length === 0) return null;
  return (
    <section aria-label="Rates, cost and time">
      <h2>Rates, cost and time</h2>
      <div class="card scroll" tabIndex={0} role="group" aria-label="Chart of rates, cost and time">
        <table class="plain spreads">
          <thead>
            <tr>
              {['Configuration', 'Passed', 'Cost of a run', 'Duration of a run'].map((title) => (
                <th key={title} scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {figures.map((one) => (
              <tr key={JSON.stringify([one.variant, one.agent, one.model])}>
                <th scope="row">
                  <Name>{`${one.variant === 'default' ? '' : `${one.variant}, `}${agentName(one)}`}</Name>
                </th>
                <td>
                  <Rate {...one} />
                </td>
                <td>
                  <SpreadPlot spread={one.cost} most={dearest} textOf={formatCost} />
                </td>
                <td>
                  <SpreadPlot spread={one.duration} most={longest} textOf={(secs) => formatDuration(secs * 1000)} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="soft small">
        Passed: the rate with its 95 % interval. Cost and duration: a line from the least to the most, a box with the
        middle half, and the median.
      </p>
    </section>
  );
}

/** The length of a plot, whose height is 1. */
const LENGTH = 10;

const Rate = ({ passed, tested, interval }: ConfigurationFigures) => (
  <div class="plot">
    <svg viewBox={`-0.3 0 ${LENGTH + 0.6} 1`} aria-hidden="true">
      <line x1={0} x2={LENGTH} y1={0.5} y2={0.5} />
      {interval !== null && (
        <>
          <rect class="half" x={0} y={0.3} width={(LENGTH * passed) / tested} height={0.4} />
          <line class="range" x1={LENGTH * interval.low} x2={LENGTH * interval.high} y1={0.5} y2={0.5} />
        </>
      )}
    </svg>
    <span>
      {interval === null
        ? 'not tested'
        : `${passedPercent(passed, tested)} (${Math.round(100 * interval.low)} to ${Math.round(100 * interval.high)} %), ${passed} of ${tested}`}
    </span>
  </div>
);

interface SpreadPlotProps {
  spread: Spread | null;
  /** The end of the scale. */
  most: number;
  textOf: (value: number) => string;
}

function SpreadPlot({ spread, most, textOf }: SpreadPlotProps) {
  if (spread === null) return <span class="soft">n/a</span>;
  const x = (value: number): number => (most === 0 ? 0 : (LENGTH * value) / most);
  const { least, quarter, median, threeQuarters } = spread;
  return (
    <div class="plot">
      <svg viewBox={`-0.3 0 ${LENGTH + 0.6} 1`} aria-hidden="true">
        <line x1={0} x2={LENGTH} y1={0.5} y2={0.5} />
        <line class="range" x1={x(least)} x2={x(spread.most)} y1={0.5} y2={0.5} />
        <rect class="half" x={x(quarter)} y={0.25} width={Math.max(0.05, x(threeQuarters) - x(quarter))} height={0.5} />
        <line class="median" x1={x(median)} x2={x(median)} y1={0.1} y2={0.9} />
      </svg>
      <span>
        {textOf(median)}{' '}
        <span class="soft">
          ({textOf(least)} to {textOf(spread.most)})
        </span>
      </span>
    </div>
  );
}
