import { useState } from 'preact/hooks';
import { plainText } from '../../lib/format/plain-text.js';
import { order } from './api.js';

interface SteeringProps {
  sweep: string;
  /** Whether it starts no more cells, because it was paused or its engine has stopped. */
  isHeld: boolean;
}

/** Pauses, resumes or cancels an open sweep. What has been done shows in the sweep's status. */
export function Steering({ sweep, isHeld }: SteeringProps) {
  const [doing, setDoing] = useState<string | null>(null);
  const [asks, setAsks] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const give = (verb: string, words: string) => (): void => {
    setDoing(words);
    setAsks(false);
    setProblem(null);
    order(`/api/sweeps/${encodeURIComponent(sweep)}/${verb}`)
      .catch((error: unknown) => setProblem((error as Error).message))
      .finally(() => setDoing(null));
  };
  return (
    <div class="steering">
      {doing !== null ? (
        <span class="soft" role="status">
          {doing} …
        </span>
      ) : asks ? (
        <>
          <span>Cancel it and kill its agents?</span>
          <button type="button" class="danger" onClick={give('cancel', 'Cancelling')}>
            Cancel the sweep
          </button>
          <button type="button" onClick={() => setAsks(false)}>
            Keep it
          </button>
        </>
      ) : (
        <>
          {isHeld ? (
            <button type="button" onClick={give('resume', 'Resuming')}>
              Resume
            </button>
          ) : (
            <button type="button" onClick={give('pause', 'Pausing')}>
              Pause
            </button>
          )}
          <button type="button" onClick={() => setAsks(true)}>
            Cancel
          </button>
        </>
      )}
      {problem !== null && (
        <p class="note" role="alert">
          {plainText(problem)}
        </p>
      )}
    </div>
  );
}
