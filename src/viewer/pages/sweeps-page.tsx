import { useState } from 'preact/hooks';
import { testedOf } from '#decide/pure';
import { counted, formatAge, formatCost, formatDuration } from '#lib/pure';
import type { ListedSweep, SweepsAnswer } from '../protocol.js';
import { useWatched } from './api.js';
import { Chip, Name, OutcomeBar, Page, Problem, Waiting } from './parts.js';
import { addressOf } from './router.js';

const MORE = 200;
const SHOWN = 50;

/** All sweeps, newest first. */
export function SweepsPage() {
  const [limit, setLimit] = useState(SHOWN);
  const { value, problem } = useWatched<SweepsAnswer>(`/api/sweeps?limit=${limit}`);
  if (value === null)
    return (
      <Page title="Sweeps">
        <Waiting problem={problem} />
      </Page>
    );
  return (
    <Page title="Sweeps">
      <div class="title">
        <h1>Sweeps</h1>
        <p class="soft mono">{value.place}</p>
        <a href={addressOf('schedules')}>Schedules</a>
        {value.sweeps.length > 1 && <a href={addressOf('compare')}>Compare</a>}
      </div>
      <Problem text={problem} />
      {value.sweeps.length === 0 ? (
        <p class="empty">
          No sweeps yet. Start one with <code>llm-tool-test run</code>, and it appears here.
        </p>
      ) : (
        <ul class="sweeps">
          {value.sweeps.map((sweep) => (
            <Sweep key={sweep.id} sweep={sweep} engine={value.engine} />
          ))}
        </ul>
      )}
      {value.more > 0 && (
        <button type="button" onClick={() => setLimit(limit + MORE)}>
          Show older sweeps ({value.more})
        </button>
      )}
    </Page>
  );
}

/** The status of a sweep as a look and a word. */
export function statusOf(status: string, paused: boolean, engine: boolean): [look: string, word: string] {
  if (status === 'completed') return ['done', 'completed'];
  if (status === 'cancelled') return ['cancelled', 'cancelled'];
  if (paused || status === 'paused') return ['cancelled', 'paused'];
  return engine ? ['running', 'running'] : ['cancelled', 'stopped'];
}

function Sweep({ sweep, engine }: { sweep: ListedSweep; engine: boolean }) {
  const { totals } = sweep;
  const { passed, tested } = testedOf(totals);
  const ended = totals.passed + totals.failed + totals.errored + totals.cancelled;
  const [look, word] = statusOf(sweep.status, sweep.paused, engine);
  return (
    <li class="card sweep">
      <div class="head">
        <a class="name" href={addressOf('sweeps', sweep.id)}>
          <Name>{sweep.id}</Name>
        </a>
        <Chip look={look}>{word}</Chip>
        <span class="soft">{formatAge(Date.now() - Date.parse(sweep.started))}</span>
        {sweep.owner !== undefined && <span class="soft">{sweep.owner}</span>}
      </div>
      <p class="soft what">
        <Name>{few(sweep.scenarios)}</Name> with <Name>{few(sweep.agents)}</Name>
      </p>
      <div class="rate">
        <strong>{tested === 0 ? 'n/a' : passedPercent(passed, tested)}</strong>
        <span class="soft">
          {passed} of {tested} passed
          {totals.errored > 0 && `, ${totals.errored} ${totals.errored === 1 ? 'error' : 'errors'}`}
        </span>
      </div>
      <OutcomeBar totals={totals} />
      <p class="soft figures">
        <span>
          {ended === totals.cells ? '' : `${ended} of `}
          {counted(totals.cells, 'cell')}
        </span>
        <span>{formatCost(sweep.cost_usd)}</span>
        {sweep.duration_secs !== null && <span>{formatDuration(sweep.duration_secs * 1000)}</span>}
      </p>
    </li>
  );
}

const FEW = 3;

const few = (names: readonly string[]): string =>
  names.length <= FEW ? names.join(', ') : `${names.slice(0, FEW).join(', ')} and ${names.length - FEW} more`;

/** Formats a rate in percent. 0% and 100% are shown only if they are exact. */
export function passedPercent(passed: number, tested: number): string {
  const rounded = Math.round((100 * passed) / tested);
  return `${passed === 0 || passed === tested ? rounded : Math.min(99, Math.max(1, rounded))}%`;
}
