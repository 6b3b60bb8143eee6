import { useState } from 'preact/hooks';
import { plainText } from '#lib/pure';
import type { RunEvent } from '#model';
import { get } from './api.js';

/** A button that shows events as they are recorded, beside what the page makes of them. */
export function RawEvents({ run, seqs }: { run: string; seqs: readonly number[] }) {
  const [text, setText] = useState<string | null>(null);
  const show = (): void => {
    const read = seqs.map((seq) => get<RunEvent>(`/api/runs/${encodeURIComponent(run)}/events/${seq}`));
    Promise.all(read).then(
      (events) => setText(events.map((event) => JSON.stringify(event, null, 2)).join('\n')),
      (error: unknown) => setText((error as Error).message),
    );
  };
  return (
    <>
      <button
        type="button"
        class="link raw-button"
        aria-expanded={text !== null}
        aria-label={`Recorded event ${seqs[0] ?? ''}`}
        onClick={() => (text === null ? show() : setText(null))}
      >
        {'{ }'}
      </button>
      {text !== null && (
        <pre class="raw mono" tabIndex={0}>
          {plainText(text)}
        </pre>
      )}
    </>
  );
}
