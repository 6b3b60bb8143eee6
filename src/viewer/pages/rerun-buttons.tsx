import { useEffect, useState } from 'preact/hooks';
import { counted, plainText } from '#lib/pure';
import type { AgainAnswer } from '../protocol.js';
import { get, order } from './api.js';
import { Problem } from './parts.js';
import { addressOf } from './router.js';

/** A sweep or run that was imported has no workflow, so nothing of it can be run or checked again. */
export const isImported = ({ workflow_id: workflow }: { workflow_id: string }): boolean => workflow === '';

interface RerunSweepProps {
  sweep: string;
  /** Numbers of cells by their last outcome. */
  totals: { failed: number; errored: number; cancelled: number };
}

/** Buttons of a sweep that has ended: run cells again, or check their work again. */
export function RerunSweep({ sweep, totals: { failed, errored, cancelled } }: RerunSweepProps) {
  const untested = errored + cancelled;
  const retry = (withFailed: boolean): ActionToConfirm =>
    retryOf(`/api/sweeps/${encodeURIComponent(sweep)}/retry?failed=${withFailed ? 1 : 0}`);
  return (
    <ActionButtons
      choices={[
        ...(untested > 0 ? [{ label: `Retry ${untested} untested`, asked: retry(false) }] : []),
        ...(failed > 0 ? [{ label: `Retry ${untested + failed} not passed`, asked: retry(true) }] : []),
        { label: 'Regrade', asked: regradeOf(sweep) },
      ]}
    />
  );
}

/** The same buttons for a run that has ended. A retry navigates to the sweep, where the new run appears. */
export function RerunRun({ run, sweep, cell }: { run: string; sweep: string; cell: string }) {
  const path = `/api/sweeps/${encodeURIComponent(sweep)}/retry?${new URLSearchParams({ cell }).toString()}`;
  return (
    <ActionButtons
      choices={[
        { label: 'Retry', asked: { ...retryOf(path), next: sweep } },
        { label: 'Regrade', asked: regradeOf(run) },
      ]}
    />
  );
}

/** Buttons, and once one is chosen, what it means before it begins. */
function ActionButtons({ choices }: { choices: { label: string; asked: ActionToConfirm }[] }) {
  const [asked, setAsked] = useState<ActionToConfirm | null>(null);
  return (
    <div class="steering">
      {asked === null ? (
        choices.map(({ label, asked: one }) => (
          <button key={label} type="button" onClick={() => setAsked(one)}>
            {label}
          </button>
        ))
      ) : (
        <Confirm asked={asked} whenDone={() => setAsked(null)} />
      )}
    </div>
  );
}

const retryOf = (path: string): ActionToConfirm => ({
  path,
  title: 'Run again',
  words: ({ cells, agents, mayFollow }) =>
    [
      ...(cells === 0
        ? []
        : [
            `${counted(cells, 'cell')} run again: ${agents.map(({ agent, cells: of }) => `${of} with ${plainText(agent)}`).join(', ')}.`,
          ]),
      ...(mayFollow ? ['More runs follow until the verdict is clear.'] : []),
      'Earlier results are kept, and the new ones count.',
    ].join(' '),
});

/** `id`: of a sweep or a run. */
const regradeOf = (id: string): ActionToConfirm => ({
  path: `/api/regrade/${encodeURIComponent(id)}`,
  title: 'Check again',
  words: ({ cells, models }) =>
    `A new sweep checks the work of ${counted(cells, 'cell')} with the checks that the scenario files have now. No agent runs${models.length === 0 ? '' : `; ${models.map(plainText).join(', ')} judges`}.`,
});

/** Something that a person wants to begin. Its path answers with what it would do, and does it when it is posted to. */
interface ActionToConfirm {
  path: string;
  title: string;
  /** The sweep that is shown then, unless a new one begins. Absent: the page stays. */
  next?: string;
  words: (answer: AgainAnswer) => string;
}

function Confirm({ asked, whenDone }: { asked: ActionToConfirm; whenDone: () => void }) {
  const [answer, setAnswer] = useState<AgainAnswer | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [isDoing, setIsDoing] = useState(false);
  const fail = (error: unknown): void => setProblem((error as Error).message);
  useEffect(() => {
    get<AgainAnswer>(asked.path).then(setAnswer, fail);
  }, [asked.path]);
  const begin = (): void => {
    setIsDoing(true);
    order(asked.path)
      .then(({ sweep }) => {
        const next = sweep ?? asked.next;
        if (next !== undefined) location.hash = addressOf('sweeps', next);
        whenDone();
      }, fail)
      .finally(() => setIsDoing(false));
  };
  const isUseless = answer !== null && answer.cells === 0 && !answer.mayFollow;
  return (
    <div class="confirm" role="group" aria-label={asked.title}>
      <p role="status">
        {answer === null
          ? problem === null
            ? 'Looking …'
            : ''
          : isUseless
            ? 'There is nothing to run.'
            : asked.words(answer)}
        {answer?.mayCost === true && !isUseless && <strong> This may cost money.</strong>}
      </p>
      <Problem text={problem} />
      {answer !== null && !isUseless && (
        <button type="button" disabled={isDoing} onClick={begin}>
          {isDoing ? 'Starting …' : asked.title}
        </button>
      )}
      <button type="button" onClick={whenDone}>
        Leave it
      </button>
    </div>
  );
}
