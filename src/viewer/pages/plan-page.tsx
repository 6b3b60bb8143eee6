import type { Forecast } from '#decide';
import type { ForecastAnswer } from '../protocol.js';
import { useLoaded } from './api.js';
import { Name, Page, Tables, Waiting } from './parts.js';
import { addressOf, replaceQuery } from './router.js';

const EFFECTS = [5, 10, 15, 20, 30, 40];

/**
 * The price of showing a change of what a sweep runs: runs, dollars and time, and the smallest change that each number
 * of runs shows.
 */
export function PlanPage({ sweep, query }: { sweep: string; query: URLSearchParams }) {
  const effect = query.get('effect') ?? '20';
  const { value, problem } = useLoaded<ForecastAnswer>(
    `/api/sweeps/${encodeURIComponent(sweep)}/plan?${new URLSearchParams({ effect }).toString()}`,
  );
  return (
    <Page
      title={`Plan · ${sweep}`}
      crumbs={
        <>
          <a href={addressOf()}>Sweeps</a>
          <a href={addressOf('sweeps', sweep)}>
            <Name>{sweep}</Name>
          </a>
        </>
      }
    >
      <h1>How many runs?</h1>
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <label>
          <span class="soft">Smallest change that matters </span>
          <select value={effect} onChange={(event) => replaceQuery(`?effect=${event.currentTarget.value}`)}>
            {[...new Set([...EFFECTS, Number(effect)])].map((points) => (
              <option key={points} value={points}>
                {points} points
              </option>
            ))}
          </select>
        </label>
      </form>
      {value === null ? (
        <Waiting problem={problem} />
      ) : (
        <>
          <dl class="card answers">
            {value.answers.map(([question, answer]) => (
              <div key={question}>
                <dt>
                  <Name>{question}</Name>
                </dt>
                <dd>
                  <Name>{answer}</Name>
                </dd>
              </div>
            ))}
          </dl>
          <section aria-label="Smallest change shown" class="card scroll trend" tabIndex={0}>
            <Curve forecast={value.forecast} />
          </section>
          <Tables tables={[value.curve]} />
          {value.hints.map((text) => (
            <p key={text} class="soft">
              <Name>{text}</Name>
            </p>
          ))}
        </>
      )}
    </Page>
  );
}

/** Distance of numbers of runs in the chart, whose height is 1. */
const STEP = 0.35;

/**
 * The smallest change by the number of runs, and the change that is asked for as a line. The table has the same numbers
 * in text.
 */
function Curve({ forecast: { curve, effect, needed } }: { forecast: Forecast }) {
  const points = curve.map(({ runs_each: each, smallest }, at) => ({ each, smallest, x: STEP * (at + 0.5) }));
  const placed = points.flatMap(({ each, smallest, x }) => (smallest === null ? [] : [{ each, x, y: 1 - smallest }]));
  const width = STEP * points.length;
  return (
    <div class="chart">
      <svg
        class="curve"
        viewBox={`-0.6 -0.08 ${width + 0.6} 1.3`}
        role="img"
        aria-label={`Smallest change shown, by runs of each on each side; ${needed.runs_each} runs show the change asked for`}
      >
        {[0, 0.5, 1].map((share) => (
          <g key={share}>
            <line x1={0} x2={width} y1={1 - share} y2={1 - share} />
            <text x={-0.05} y={1.03 - share} text-anchor="end">
              {100 * share} points
            </text>
          </g>
        ))}
        <line class="asked" x1={0} x2={width} y1={1 - effect} y2={1 - effect} />
        <polyline points={placed.map(({ x, y }) => `${x},${y}`).join(' ')} />
        {placed.map(({ each, x, y }) => (
          <circle key={each} cx={x} cy={y} r={each === needed.runs_each ? 0.06 : 0.03} />
        ))}
        {points.map(({ each, x }) => (
          <text key={each} x={x} y={1.18} text-anchor="middle">
            {each}
          </text>
        ))}
      </svg>
    </div>
  );
}
