import { useEffect, useRef, useState } from 'preact/hooks';
import { plainText } from '#lib/pure';
import type { HumanReview, Metrics, ReviewFields } from '#model';
import { givenScore, type Judged, judgedIn } from '#model/pure';
import type { ReviewAnswer } from '../protocol.js';
import { embedded, get, saveReview } from './api.js';
import { Chip, Name, Problem, Text, Waiting } from './parts.js';

interface ReviewProps {
  run: string;
  human: HumanReview | null;
  metrics: Metrics;
  whenSaved: () => void;
}

/** A person's review of a run, and the form for it. A report in a single file has no form. */
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

interface FormProps {
  run: string;
  /** The parts that a model has judged, so that a person can judge them too. */
  judged: Judged;
  /** Closes the form. */
  whenDone: (isSaved: boolean) => void;
}

/** The version of a review that is not in the form, after two people have written different ones. */
interface OtherReview {
  isMine: boolean;
  fields: ReviewFields;
}

/**
 * The form of a run's evaluation.md. If the file changes while it is filled in, both versions are shown, and neither is
 * lost before one is saved.
 */
function ReviewForm({ run, judged, whenDone }: FormProps) {
  const address = `/api/runs/${encodeURIComponent(run)}/review`;
  const [review, setReview] = useState<ReviewAnswer | null>(null);
  const [other, setOther] = useState<OtherReview | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [isSaving, setIsSaving] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const fail = (error: unknown): void => setProblem((error as Error).message);
  useEffect(() => {
    get<ReviewAnswer>(address).then(setReview, fail);
  }, [address]);
  const isLoaded = review !== null;
  useEffect(() => {
    if (isLoaded) form.current?.querySelector('input')?.focus();
  }, [isLoaded]);
  if (review === null) return <Waiting problem={problem} />;

  const { version, fields } = review;
  const set = (change: Partial<ReviewFields>): void => setReview({ ...review, fields: { ...fields, ...change } });
  const send = (): void => {
    setProblem(null);
    setIsSaving(true);
    saveReview(address, { version, fields })
      .then((changed) => {
        if (changed === null) {
          whenDone(true);
          return;
        }
        setOther({ isMine: false, fields: changed.review.fields });
        setProblem(`Not saved: ${changed.error}. Your review is still in the form.`);
        // The text here replaces the stored one only if it is saved once more.
        setReview({ ...review, version: changed.review.version });
      }, fail)
      .finally(() => setIsSaving(false));
  };
  return (
    <form
      ref={form}
      class="review"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <Problem text={review.problem} />
      <Field label="Score" hint="4/5, 8/10 or 80%" value={fields.score} onInput={(score) => set({ score })} />
      {judged.criteria.map((id) => (
        <Field
          key={id}
          label={`Score of ${plainText(id)}`}
          hint="4/5"
          value={fields.criteria[id] ?? ''}
          onInput={(text) => set({ criteria: { ...fields.criteria, [id]: text } })}
        />
      ))}
      {judged.gates.map(({ number, title }) => (
        <label key={number}>
          <span>
            Gate {number} (<Name>{title}</Name>) should
          </span>
          <select
            value={fields.gates[number] ?? ''}
            onChange={(event) => set({ gates: { ...fields.gates, [number]: event.currentTarget.value } })}
          >
            <option value="">say nothing</option>
            <option value="pass">pass</option>
            <option value="fail">fail</option>
          </select>
        </label>
      ))}
      <Field label="Labels" hint="flaky-env, false-pass" value={fields.labels} onInput={(labels) => set({ labels })} />
      <Field label="Reviewer" hint="" value={fields.reviewer} onInput={(reviewer) => set({ reviewer })} />
      <label>
        <span>Notes</span>
        <textarea rows={5} value={fields.notes} onInput={(event) => set({ notes: event.currentTarget.value })} />
      </label>
      <Problem text={problem} />
      {other !== null && (
        <div class="other" role="group" aria-label={TITLES[other.isMine ? 'mine' : 'file']}>
          <h3>{TITLES[other.isMine ? 'mine' : 'file']}</h3>
          <Text text={summaryOf(other.fields)} lines={12} />
          <button
            type="button"
            onClick={() => {
              setReview({ ...review, fields: other.fields });
              setOther({ isMine: !other.isMine, fields });
              setProblem(null);
            }}
          >
            {other.isMine ? 'Edit mine again' : 'Edit this instead'}
          </button>
        </div>
      )}
      <p class="buttons">
        <button type="submit" disabled={isSaving}>
          {other?.isMine === false ? 'Replace it with mine' : 'Save the review'}
        </button>
        <button type="button" onClick={() => whenDone(false)}>
          Discard
        </button>
      </p>
    </form>
  );
}

const TITLES = { mine: 'What you wrote', file: 'What the file says now' } as const;

interface FieldProps {
  label: string;
  hint: string;
  value: string;
  onInput: (text: string) => void;
}

const Field = ({ label, hint, value, onInput }: FieldProps) => (
  <label>
    <span>{label}</span>
    <input type="text" value={value} placeholder={hint} onInput={(event) => onInput(event.currentTarget.value)} />
  </label>
);

/** A review in lines, to be compared with another one. */
const summaryOf = ({ score, criteria, gates, labels, reviewer, notes }: ReviewFields): string =>
  [
    `Score: ${score}`,
    ...Object.entries(criteria).map(([id, text]) => `Score of ${id}: ${text}`),
    ...Object.entries(gates).map(([number, text]) => `Gate ${number}: ${text}`),
    `Labels: ${labels}`,
    `Reviewer: ${reviewer}`,
    ...(notes === '' ? [] : ['', notes]),
  ].join('\n');
