import type { SchedulesAnswer } from '../protocol.js';
import { useLoaded } from './api.js';
import { Name, Page, PlainTable, Waiting } from './parts.js';
import { addressOf } from './router.js';
import { Chart, intervalText } from './trends-page.js';

const HEADINGS = ['Night', 'Sweep', 'Passed', 'Interval (95 %)', 'Compared with the reference'];

type ScheduleEntry = SchedulesAnswer['schedules'][number];

/** Schedules with their nights: how many runs passed, the reference, and since when fewer pass. */
export function SchedulesPage() {
  const { value, problem } = useLoaded<SchedulesAnswer>('/api/schedules');
  return (
    <Page title="Schedules" crumbs={<a href={addressOf()}>Sweeps</a>}>
      <h1>Schedules</h1>
      {value === null ? (
        <Waiting problem={problem} />
      ) : value.schedules.length === 0 ? (
        <p class="empty">
          No schedules yet. Create one with <code>llm-tool-test schedule create</code>.
        </p>
      ) : (
        value.schedules.map((one) => <Schedule key={one.schedule} {...one} />)
      )}
    </Page>
  );
}

function Schedule({ schedule, reference, words, nights }: ScheduleEntry) {
  const begin = nights.findLast(({ begins }) => begins)?.sweep;
  return (
    <section aria-label={schedule}>
      <h2>
        <Name>{schedule}</Name>
      </h2>
      {words.map((text) => (
        <p key={text}>
          <Name>{text}</Name>
        </p>
      ))}
      {reference !== null && (
        <p class="soft">
          Compared with <Name>{reference.sweep}</Name>,{' '}
          {reference.accepted_at === null
            ? 'the first complete night'
            : `accepted on ${reference.accepted_at.slice(0, 10)}`}
          .
        </p>
      )}
      {nights.length === 0 && <p class="soft">No night has ended yet.</p>}
      <div class="card scroll trend" tabIndex={0} role="group" aria-label={`Nights of ${schedule}`}>
        <Chart points={nights} mark={begin} />
        <PlainTable headings={HEADINGS}>
          {[...nights].reverse().map((night) => (
            <tr key={night.at + night.sweep}>
              <th scope="row">{night.at.slice(0, 16).replace('T', ' ')}</th>
              <td>
                <a href={addressOf('sweeps', night.sweep)}>
                  <Name>{night.sweep}</Name>
                </a>
              </td>
              <td>{night.tested === 0 ? 'not tested' : `${night.passed} of ${night.tested}`}</td>
              <td>{intervalText(night)}</td>
              <td>{night.text}</td>
            </tr>
          ))}
        </PlainTable>
      </div>
    </section>
  );
}
