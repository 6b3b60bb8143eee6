import { useMemo, useState } from 'preact/hooks';
import { formatDuration, plainText } from '#lib/pure';
import type { RunRecord } from '#model';
import type { Item } from './conversation.js';
import { Name } from './parts.js';
import { eventAddress } from './router.js';
import { mergeSpans, type Span, type Timeline, timelineOf } from './timeline.js';

interface TimelineViewProps {
  run: string;
  steps: RunRecord['steps'];
  items: readonly Item[];
}

/** Spans that are drawn apart: about one for each pixel of a narrow page. */
const PLACES = 400;
/** Shorter spans could not be seen. */
const LEAST = 0.002;

/** Steps, turns and calls on a line of time. A click leads to the place in the conversation; the list has the same. */
export function TimelineView({ run, steps, items }: TimelineViewProps) {
  const [pointedAt, setPointedAt] = useState('');
  const timeline = useMemo(() => timelineOf(steps, items), [steps, items]);
  const { lanes, totalMs } = timeline;
  if (lanes.length === 0) return null;
  return (
    <section class="card timeline" aria-label="Timeline">
      <h2>
        Timeline <span class="soft">{formatDuration(totalMs)}</span>
      </h2>
      {lanes.map(({ name, spans }) => (
        <div key={name} class="lane">
          <span class="soft">
            {name} {name === 'Steps' ? '' : spans.length}
          </span>
          <svg viewBox="0 0 1 1" preserveAspectRatio="none" aria-hidden="true">
            {mergeSpans(spans, PLACES).map((span, at) => (
              <rect
                key={at}
                class={`${name.toLowerCase()} ${span.hasFailed ? 'fail' : ''} ${span.seq === null ? '' : 'linked'}`}
                x={Math.min(span.from, 1 - LEAST)}
                y={0}
                width={Math.max(LEAST, span.length - LEAST / 2)}
                height={1}
                onMouseEnter={() => setPointedAt(titleOf(span))}
                onClick={() => {
                  if (span.seq !== null) location.hash = eventAddress(run, span.seq);
                }}
              />
            ))}
          </svg>
        </div>
      ))}
      <p class="pointed-at soft small" aria-hidden="true">
        {pointedAt}
      </p>
      <AsList run={run} timeline={timeline} />
    </section>
  );
}

const titleOf = ({ label, ms, count }: Span): string =>
  `${plainText(label)}${count > 1 ? ` and ${count - 1} more` : ''}, ${formatDuration(ms)}`;

const SHOWN = 100;

/** The same for keyboards and screen readers: in the order of time. It is made only when it is asked for. */
function AsList({ run, timeline }: { run: string; timeline: Timeline }) {
  const [isOpen, setIsOpen] = useState(false);
  const [shown, setShown] = useState(SHOWN);
  const all = isOpen
    ? timeline.lanes
        .flatMap(({ name, spans }) => spans.map((span) => ({ name: name.slice(0, -1).toLowerCase(), ...span })))
        .sort((a, b) => a.from - b.from)
    : [];
  return (
    <details onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>As a list</summary>
      <ol>
        {all.slice(0, shown).map(({ name, ...span }, at) => (
          <li key={at}>
            <span class="soft">{name}</span>{' '}
            {span.seq === null ? (
              <Name>{span.label}</Name>
            ) : (
              <a href={eventAddress(run, span.seq)}>
                <Name>{span.label === '' ? 'no text' : span.label}</Name>
              </a>
            )}{' '}
            <span class="soft">
              +{formatDuration(span.from * timeline.totalMs)}, {formatDuration(span.ms)}
            </span>
            {span.hasFailed && <span class="chip fail">failed</span>}
          </li>
        ))}
      </ol>
      {all.length > shown && (
        <button type="button" onClick={() => setShown(shown + SHOWN * 5)}>
          Show more ({all.length - shown})
        </button>
      )}
    </details>
  );
}
