import type { SweepAnswer } from '../protocol.js';
import { isImported, RerunSweep } from './rerun-buttons.js';
import { embedded, order } from './api.js';
import { Chip, Name, OutcomeBar, Outside } from './parts.js';
import { addressOf } from './router.js';
import { passedPercent, statusOf } from './sweeps-page.js';
import { useState } from 'preact/hooks';
import { testedOf } from '#decide/pure';
import { formatCost, plainText } from '#lib/pure';

/** The state of a sweep as a whole, and what can be done with it. */
export function SweepHead({ answer: { document, engine, openCount, choices, notes } }: { answer: SweepAnswer }) {
  const { totals } = document;
  const { passed, tested } = testedOf(totals);
  const [look, word] = statusOf(document.status, false, engine);
  const isOpen = document.status === 'running' || document.status === 'paused';
  const ended = totals.passed + totals.failed + totals.errored + totals.cancelled;
  return (
    <>
      <div class="title">
        <h1>
          <Name>{document.sweep}</Name>
        </h1>
        <Chip look={look}>{word}</Chip>
        {isOpen && embedded === null && <Steering sweep={document.sweep} isHeld={word !== 'running'} />}
        {!isOpen && !isImported(document) && embedded === null && <RerunSweep sweep={document.sweep} totals={totals} />}
        {embedded === null && <CompareLinks sweep={document.sweep} variants={choices['variant'] ?? []} />}
        {embedded === null && <a href={addressOf('sweeps', document.sweep, 'plan')}>How many runs?</a>}
        {document.ui_url !== null && <Outside href={document.ui_url}>Temporal</Outside>}
      </div>
      <div class="summary">
        <p class="headline">
          <strong>{tested === 0 ? 'n/a' : passedPercent(passed, tested)}</strong> passed
        </p>
        <p class="soft">
          {passed} of {tested} tested
          {totals.errored > 0 && ` · ${totals.errored} ${totals.errored === 1 ? 'error' : 'errors'}`}
          {totals.cancelled > 0 && ` · ${totals.cancelled} cancelled`}
          {ended < totals.cells && ` · ${ended} of ${totals.cells} cells have ended`}
          {openCount > 0 && ` · ${openCount} open`}
          {` · ${formatCost(document.cost_usd)}`}
          {document.max_usd !== null && ` of ${formatCost(document.max_usd)}`}
        </p>
      </div>
      <OutcomeBar totals={totals} />
      {isOpen && word === 'stopped' && (
        <p class="note">
          The engine is not running, so this sweep makes no progress. Continue it with{' '}
          <code>llm-tool-test resume {document.sweep}</code>.
        </p>
      )}
      {notes.map((text) => (
        <p key={text} class="note">
          <Name>{/[.!?]$/.test(text) ? text : `${text}.`}</Name>
        </p>
      ))}
    </>
  );
}

/** Links to comparisons with another sweep, and of each variant with the first one. */
function CompareLinks({ sweep, variants }: { sweep: string; variants: readonly string[] }) {
  const [first, ...others] = variants;
  return (
    <>
      <a href={`${addressOf('compare')}?${new URLSearchParams({ head: sweep }).toString()}`}>Compare</a>
      {others.slice(0, MAX_VARIANTS).map((other) => {
        const query = new URLSearchParams({ base: sweep, head: sweep, variants: `${first ?? ''},${other}` });
        return (
          <a key={other} href={`${addressOf('compare')}?${query.toString()}`}>
            <Name>{`${first ?? ''} → ${other}`}</Name>
          </a>
        );
      })}
    </>
  );
}

/** More links would be no help. */
const MAX_VARIANTS = 3;

interface SteeringProps {
  sweep: string;
  /** True if it starts no more cells, because it was paused or its engine has stopped. */
  isHeld: boolean;
}

/** Pauses, resumes or cancels an open sweep. What has been done shows in the sweep's status. */
function Steering({ sweep, isHeld }: SteeringProps) {
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
