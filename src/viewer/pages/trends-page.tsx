import type { Trend, TrendPoint } from '#decide';
import { formatCost, formatDuration, plainText } from '#lib/pure';
import type { TrendsAnswer } from '../protocol.js';
import { agentName } from '../shared/configuration.js';
import { useLoaded } from './api.js';
import { Name, Page, PlainTable, Waiting } from './parts.js';
import { addressOf } from './router.js';
import { passedPercent } from './sweeps-page.js';

/** A scenario from sweep to sweep: pass rates with their intervals, costs and durations, by configuration. */
export function TrendsPage({ scenario }: { scenario: string }) {
  const query = new URLSearchParams({ scenario });
  const { value, problem } = useLoaded<TrendsAnswer>(`/api/trends?${query.toString()}`);
  return (
    <Page title={scenario} crumbs={<a href={addressOf()}>Sweeps</a>}>
      <h1>
        <Name>{scenario}</Name>
      </h1>
      {value === null ? (
        <Waiting problem={problem} />
      ) : value.trends.length === 0 ? (
        <p class="soft">No sweep has a result of this scenario.</p>
      ) : (
        value.trends.map((trend) => <Configuration key={nameOf(trend)} trend={trend} />)
      )}
    </Page>
  );
}

const nameOf = (trend: Trend): string =>
  `${trend.variant === 'default' ? '' : `${trend.variant}, `}${agentName(trend)}`;

const HEADINGS = ['Sweep', 'Passed', 'Interval (95 %)', 'Cost of a run', 'Duration'];

function Configuration({ trend }: { trend: Trend }) {
  const name = plainText(nameOf(trend));
  return (
    <section aria-label={name}>
      <h2>
        <Name>{name}</Name>
      </h2>
      <div class="card scroll trend" tabIndex={0} role="group" aria-label={`Trend of ${name}`}>
        <Chart points={trend.points} />
        <PlainTable headings={HEADINGS}>
          {trend.points.map((point) => (
            <tr key={point.sweep}>
              <th scope="row">
                <a href={addressOf('sweeps', point.sweep)}>
                  <Name>{point.sweep}</Name>
                </a>
              </th>
              <td>{point.tested === 0 ? 'not tested' : `${point.passed} of ${point.tested}`}</td>
              <td>{intervalText(point)}</td>
              <td>{formatCost(point.cost_usd)}</td>
              <td>{point.duration_secs === null ? 'n/a' : formatDuration(point.duration_secs * 1000)}</td>
            </tr>
          ))}
        </PlainTable>
      </div>
    </section>
  );
}

export const intervalText = ({ interval }: Pick<TrendPoint, 'interval'>): string =>
  interval === null ? 'n/a' : `${Math.round(100 * interval.low)} to ${Math.round(100 * interval.high)} %`;

/** Distance of sweeps in the chart, whose height is 1. */
const STEP = 0.35;

type Point = Pick<TrendPoint, 'sweep' | 'passed' | 'tested' | 'interval'>;

/**
 * The pass rate of each sweep with its interval. The table has the same numbers in text. `mark`: the sweep at which a
 * loss begins.
 */
export function Chart({ points, mark }: { points: readonly Point[]; mark?: string | undefined }) {
  const tested = points.filter(({ tested: runs }) => runs > 0);
  const placed = tested.map((point, at) => ({
    ...point,
    x: STEP * (at + 0.5),
    y: 1 - point.passed / point.tested,
  }));
  const marked = placed.find(({ sweep }) => sweep === mark);
  const width = STEP * Math.max(1, placed.length);
  const last = placed.at(-1);
  const words = last === undefined ? 'nothing was tested' : `now ${passedPercent(last.passed, last.tested)}`;
  return (
    <div class="chart">
      <div class="rates" aria-hidden="true">
        <span>100 %</span>
        <span>50 %</span>
        <span>0 %</span>
      </div>
      <svg
        viewBox={`0 -0.08 ${width} 1.16`}
        role="img"
        aria-label={`Pass rates in ${placed.length} sweeps, ${words}${marked === undefined ? '' : `, worse since ${marked.sweep}`}`}
      >
        {[0, 0.5, 1].map((y) => (
          <line key={y} class="axis" x1={0} x2={width} y1={y} y2={y} />
        ))}
        {marked !== undefined && (
          <line class="mark" x1={marked.x - STEP / 2} x2={marked.x - STEP / 2} y1={-0.06} y2={1.06} />
        )}
        <polyline points={placed.map(({ x, y }) => `${x},${y}`).join(' ')} />
        {placed.map(({ sweep, x, y, interval }) => (
          <g key={sweep}>
            {interval !== null && <line class="range" x1={x} x2={x} y1={1 - interval.low} y2={1 - interval.high} />}
            <circle cx={x} cy={y} r={0.045} />
          </g>
        ))}
      </svg>
    </div>
  );
}
