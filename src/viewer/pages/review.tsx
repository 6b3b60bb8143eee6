import { useEffect, useRef, useState } from 'preact/hooks';
import type { HumanReview, Metrics } from '#model';
import { givenScore, judgedIn } from '#model/pure';
import { embedded } from './embedded.js';
import { Chip, Name, Text } from './parts.js';
import { ReviewForm } from './review-form.js';

interface ReviewProps {
  run: string;
  human: HumanReview | null;
  metrics: Metrics;
  whenSaved: () => void;
}

/** What a person thinks of a run, and the form for it. A report in a single file has no form. */
export function Review({ run, human, metrics, whenSaved }: ReviewProps) {
  const [isEdited, setIsEdited] = useState(false);
  const [isSaved, setIsSaved] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (isSaved && !isEdited) button.current?.focus();
  }, [isSaved, isEdited]);
  if (human === null && embedded !== null) return null;
  return (
    <section class="card" aria-label="Human review">
      <h2>Human review {human !== null && <Chip look="">{givenScore(human)}</Chip>}</h2>
      {isEdited ? (
        <ReviewForm
          run={run}
          judged={judgedIn(metrics)}
          whenDone={(saved) => {
            setIsEdited(false);
            setIsSaved(saved);
            if (saved) whenSaved();
          }}
        />
      ) : (
        <>
          {human !== null && <Given human={human} />}
          {embedded === null && (
            <p>
              <button type="button" ref={button} onClick={() => setIsEdited(true)}>
                {human === null ? 'Write a review' : 'Edit the review'}
              </button>{' '}
              <span class="soft" role="status">
                {isSaved && 'Saved in evaluation.md.'}
              </span>
            </p>
          )}
        </>
      )}
    </section>
  );
}

const Given = ({ human: { labels = [], gates = {}, problem, notes, reviewer } }: { human: HumanReview }) => (
  <>
    {labels.length > 0 && (
      <p>
        {labels.map((label) => (
          <span key={label} class="tag">
            <Name>{label}</Name>
          </span>
        ))}
      </p>
    )}
    {Object.entries(gates).map(([number, verdict]) => (
      <p key={number}>
        Gate {number}: <Chip look={verdict} />
      </p>
    ))}
    {problem !== null && <Text text={problem} />}
    {notes !== null && <Text text={notes} />}
    {reviewer !== null && (
      <p class="soft small">
        by <Name>{reviewer}</Name>
      </p>
    )}
  </>
);
