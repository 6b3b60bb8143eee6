import { formatDuration } from '../../lib/format/duration.js';
import type { RunRecord } from '../../results/records/run-record.js';
import { Name, Text } from './parts.js';
import { stepSpans } from './step-spans.js';

/** Shorter bars could not be seen. */
const LEAST = 0.008;

/** The durable steps of a run on a line of time, with their attempts. */
export function Steps({ run }: { run: RunRecord }) {
  const { totalMs, spans } = stepSpans(run);
  const history = run.agent?.history ?? [];
  return (
    <section class="card" aria-label="Steps">
      <h2>
        Steps <span class="soft">{formatDuration(totalMs)}</span>
      </h2>
      <ol class="steps">
        {run.steps.map(({ name, status, duration_ms: ms, attempts, note }, at) => {
          const { from = 0, length = 0 } = spans[at] ?? {};
          return (
            <li key={at} class={status}>
              <span class="name">
                <Name>{name}</Name>
                {status !== 'done' && <span class="soft"> {status.replace('_', ' ')}</span>}
                {attempts > 1 && <span class="tag">{attempts} attempts</span>}
              </span>
              <span class="soft">{ms === null ? '' : formatDuration(ms)}</span>
              <svg class="line" viewBox="0 0 1 1" preserveAspectRatio="none" aria-hidden="true">
                <rect
                  x={Math.min(from, 1 - LEAST)}
                  y={0}
                  width={ms === null ? 0 : Math.max(LEAST, length)}
                  height={1}
                />
              </svg>
              {note !== null && (
                <div class="note">
                  <Text text={note} lines={4} />
                </div>
              )}
            </li>
          );
        })}
      </ol>
      {history.length > 0 && (
        <>
          <h3>Other starts of the agent</h3>
          {history.map((text) => (
            <Text key={text} text={text} lines={3} />
          ))}
        </>
      )}
    </section>
  );
}
