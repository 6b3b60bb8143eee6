import { formatDuration } from '#lib/pure';
import type { GateDetail, Metrics } from '#model';
import { forgeableNotes } from '#model/pure';
import { type Call, relatedCalls } from './conversation.js';
import { Chip, Name, Text } from './parts.js';
import { eventAddress } from './router.js';

interface GatesProps {
  run: string;
  metrics: Metrics;
  calls: readonly Call[];
  /** Names the section; two may be on a page. */
  label?: string;
}

/** The gates: those that did not pass first, with what they found and the calls that have to do with it. */
export function Gates({ run, metrics, calls, label = 'Gates' }: GatesProps) {
  const { details, gates_passed: passed, gates_total: total } = metrics;
  if (total === 0) return null;
  const open = details.filter((gate) => gate.status !== 'pass');
  const fine = details.filter((gate) => gate.status === 'pass');
  return (
    <section class="card" aria-label={label}>
      <h2>
        Gates{' '}
        <span class="soft">
          {passed} of {total} passed
        </span>
      </h2>
      <ul class="gates">
        {[...open, ...fine].map((gate) => (
          <Gate key={gate.index} {...{ run, gate, calls }} />
        ))}
      </ul>
      {forgeableNotes(metrics).map((note) => (
        <p key={note} class="soft">
          <Name>{note}</Name>
        </p>
      ))}
      {details.length < total && <p class="soft">{total - details.length} were not checked.</p>}
    </section>
  );
}

function Gate({ run, gate, calls }: { run: string; gate: GateDetail; calls: readonly Call[] }) {
  const isFine = gate.status === 'pass';
  const related = isFine ? [] : relatedCalls(gate, calls);
  return (
    <li class={gate.status}>
      <details open={!isFine}>
        <summary>
          <Chip look={gate.status} />
          <span class="name">
            <Name>{gate.name ?? (gate.subject === '' ? gate.gate_type : gate.subject)}</Name>
          </span>
        </summary>
        <div class="inside">
          <Text text={gate.message} lines={12} />
          {gate.detail !== null && <Text text={JSON.stringify(gate.detail, null, 2)} lines={8} mono />}
          {related.map(({ call, why }) => (
            <p key={call.event.seq} class="cause">
              <a href={eventAddress(run, call.event.seq)}>
                <code>
                  <Name>{(call.command ?? call.event.name).slice(0, 80)}</Name>
                </code>
              </a>{' '}
              <span class="soft">{why}</span>
            </p>
          ))}
          <p class="soft small">
            <Name>{gate.gate_type}</Name>
            {gate.name !== null && gate.subject !== '' && (
              <>
                {' · '}
                <Name>{gate.subject}</Name>
              </>
            )}
            {' · '}
            {formatDuration(gate.duration_ms)}
          </p>
        </div>
      </details>
    </li>
  );
}
