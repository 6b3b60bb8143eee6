import { useEffect, useRef, useState } from 'preact/hooks';
import { plainText } from '#lib/pure';
import type { HumanReview, ReviewFields } from '#model';
import { givenScore } from '#model/pure';
import type { ReviewAnswer } from '../protocol.js';
import { get, saveReview } from './api.js';

const SCORES = ['1/5', '2/5', '3/5', '4/5', '5/5'];

interface ReviewedProps {
  run: string;
  human: HumanReview | undefined;
}

/** The score of a run's review, to be given without opening the run. */
export function Rating({ run, human }: ReviewedProps) {
  const { save, problem } = useSaved(run, 'score');
  const given = human === undefined || human.points === null ? '' : givenScore(human);
  return (
    <>
      <select
        aria-label={`Rating of ${run}`}
        value={given}
        onChange={(event) => save(given, event.currentTarget.value)}
      >
        <option value="">–</option>
        {[...(given === '' || SCORES.includes(given) ? [] : [given]), ...SCORES].map((score) => (
          <option key={score} value={score}>
            {score}
          </option>
        ))}
      </select>
      <Unsaved problem={problem} />
    </>
  );
}

/** The notes of a run's review, to be written without opening the run. They are saved when the field is left. */
export function Note({ run, human }: ReviewedProps) {
  const { save, problem } = useSaved(run, 'notes');
  const given = human?.notes ?? '';
  const field = useRef<HTMLTextAreaElement>(null);
  /** The notes that the reader has seen before changing them. */
  const seen = useRef(given);
  useEffect(() => {
    // Notes that are being written are not replaced by others that arrive meanwhile.
    if (field.current === null || field.current === document.activeElement) return;
    field.current.value = given;
  }, [given]);
  return (
    <>
      <textarea
        ref={field}
        aria-label={`Notes on ${run}`}
        rows={1}
        onFocus={() => {
          seen.current = given;
        }}
        onBlur={(event) => {
          const { value } = event.currentTarget;
          if (value.trim() !== seen.current.trim()) save(seen.current, value);
        }}
      />
      <Unsaved problem={problem} />
    </>
  );
}

const Unsaved = ({ problem }: { problem: string | null }) =>
  problem === null ? null : (
    <span class="fail small" role="alert">
      {plainText(problem)}
    </span>
  );

/** Saves a field of a run's review, unless somebody has changed it since it was shown. */
function useSaved(run: string, field: 'score' | 'notes') {
  const [problem, setProblem] = useState<string | null>(null);
  const address = `/api/runs/${encodeURIComponent(run)}/review`;
  const save = (shown: string, value: string): void => {
    setProblem(null);
    saveField(address, { field, shown, value }).then(setProblem, (error: unknown) =>
      setProblem(`Not saved: ${(error as Error).message}`),
    );
  };
  return { save, problem };
}

const CHANGED = 'Not saved: the review has changed meanwhile. Open the run to see both.';

/** Returns the reason why nothing was saved; null if it was. */
async function saveField(
  address: string,
  { field, shown, value }: { field: 'score' | 'notes'; shown: string; value: string },
): Promise<string | null> {
  const { version, fields, problem } = await get<ReviewAnswer>(address);
  if (problem !== null) return `Not saved: ${problem}`;
  const same = (text: string): string => text.replace(/\s+/g, field === 'score' ? '' : ' ').trim();
  if (same(fields[field]) !== same(shown)) return CHANGED;
  const changed: ReviewFields = { ...fields, [field]: value };
  return (await saveReview(address, { version, fields: changed })) === null ? null : CHANGED;
}
