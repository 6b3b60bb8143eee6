import { formatDuration, shortKnownCost } from '#lib/pure';
import type { ListedRun, OpenRunState, SweepAnswer } from '../protocol.js';
import { Chip, Name } from './parts.js';
import { addressOf } from './router.js';
import { agentName, outcomeName } from '../shared/select-runs.js';

/** The selected runs, as many as are shown, each with why it did not pass. */
export function Runs({ answer, showMore }: { answer: SweepAnswer; showMore: () => void }) {
  const { document, runs, found, open, isRepeated } = answer;
  const all = document.totals.cells;
  return (
    <section aria-label="Runs">
      <h2>
        Runs <span class="soft">{found === all ? all : `${found} of ${all}`}</span>
      </h2>
      <ul class="runs card">
        {runs.map((run) => (
          <Run key={run.id} cell={run} open={open.find(({ cell }) => cell === run.id)} isRepeated={isRepeated} />
        ))}
        {runs.length === 0 && <li class="soft">No run matches.</li>}
      </ul>
      {found > runs.length && (
        <button type="button" onClick={showMore}>
          Show more ({found - runs.length})
        </button>
      )}
    </section>
  );
}

interface RunProps {
  cell: ListedRun;
  open: OpenRunState | undefined;
  isRepeated: boolean;
}

/** The id of a run is the name of its folder. */
export const runIdOf = (folder: string): string => folder.slice(folder.lastIndexOf('/') + 1);

function Run({ cell, open, isRepeated }: RunProps) {
  const look = open === undefined ? outcomeName(cell) : 'running';
  const run = open?.run ?? (cell.results_dir === null ? null : runIdOf(cell.results_dir));
  const name = (
    <>
      <Name>{cell.scenario}</Name>
      {cell.variant !== 'default' && (
        <span class="tag">
          <Name>{cell.variant}</Name>
        </span>
      )}
      <span class="soft">
        <Name>{agentName(cell)}</Name>
        {isRepeated && ` #${cell.repetition}`}
      </span>
    </>
  );
  const reason = open === undefined ? (cell.outcome === 'pass' ? null : (cell.why ?? cell.message)) : doingText(open);
  return (
    <li class={`run ${look}`}>
      <Chip look={look} />
      {run === null ? (
        <span class="name">{name}</span>
      ) : (
        <a class="name" href={addressOf('runs', run)}>
          {name}
        </a>
      )}
      <span class="soft figures">
        {cell.gates_total !== null && <span>{`${cell.gates_passed ?? 0}/${cell.gates_total} gates`}</span>}
        {cell.judge_score !== null && <span>judge {cell.judge_score.toFixed(2)}</span>}
        {cell.duration_secs !== null && <span>{formatDuration(cell.duration_secs * 1000)}</span>}
        {cell.outcome !== null && <span>{shortKnownCost(cell.cost_usd, cell.cost_usd_at_least)}</span>}
        {cell.cached && <span>reused</span>}
        {(cell.human?.labels ?? []).map((label) => (
          <span key={label} class="tag">
            <Name>{label}</Name>
          </span>
        ))}
      </span>
      {reason !== null && (
        <span class="why">
          <Name>{reason}</Name>
        </span>
      )}
    </li>
  );
}

const doingText = ({ step, doing }: OpenRunState): string => [step, doing].filter((part) => part !== null).join(': ');
