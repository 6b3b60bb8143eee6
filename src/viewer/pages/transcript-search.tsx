import { useState } from 'preact/hooks';
import type { MatchesAnswer } from '../protocol.js';
import { useLoaded } from './api.js';
import { Waiting } from './parts.js';
import { eventAddress } from './router.js';

/** A search in the whole transcript of a run, not only in the part that is on the page. */
export function TranscriptSearch({ run, label }: { run: string; label: string }) {
  const [typed, setTyped] = useState('');
  const [text, setText] = useState('');
  return (
    <form
      class="filters"
      role="search"
      aria-label={`Search: ${label}`}
      onSubmit={(event) => {
        event.preventDefault();
        setText(typed.trim());
      }}
    >
      <input
        type="search"
        value={typed}
        onInput={(event) => setTyped(event.currentTarget.value)}
        aria-label="Search the conversation"
        placeholder="Search the conversation"
      />
      <button type="submit">Search</button>
      {text !== '' && <Matches run={run} text={text} />}
    </form>
  );
}

function Matches({ run, text }: { run: string; text: string }) {
  const path = `/api/runs/${encodeURIComponent(run)}/matches?${new URLSearchParams({ text }).toString()}`;
  const { value, problem } = useLoaded<MatchesAnswer>(path);
  if (value === null) return <Waiting problem={problem} />;
  const { matches, more } = value;
  return (
    <div class="matches" role="status">
      <p class="soft">
        {matches.length === 0
          ? 'Nothing contains this text.'
          : `${matches.length + more} ${matches.length + more === 1 ? 'event contains' : 'events contain'} it${more > 0 ? `; the first ${matches.length} are:` : ':'}`}
      </p>
      <ol>
        {matches.map(({ seq, before, found, after }) => (
          <li key={seq}>
            <a href={eventAddress(run, seq)}>
              {before}
              <mark>{found}</mark>
              {after}
            </a>
          </li>
        ))}
      </ol>
    </div>
  );
}
