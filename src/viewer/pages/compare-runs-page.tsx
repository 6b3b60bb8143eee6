import { useMemo } from 'preact/hooks';
import { plainText } from '#lib/pure';
import type { RunAnswer, SweepAnswer } from '../protocol.js';
import { selectionIn } from '../shared/selection.js';
import { useEvents, useLoaded, useWatched } from './api.js';
import { sweepAddress } from './download-runs.js';
import { ConversationView, UsedSoFar } from './conversation-view.js';
import { conversationOf, type Call } from './conversation.js';
import { Gates } from './gates.js';
import { Chip, Name, Page, Problem, Waiting } from './parts.js';
import { addressOf, replaceQuery } from './router.js';
import { runIdOf } from './run-table.js';

const RUNS = 100;

/**
 * The sides of a comparison, as they are named in the address: its sweep, its cell of the matrix, and the run that is
 * shown.
 */
const SIDES = [
  { title: 'Before', sweep: 'base', cell: 'left', run: 'a' },
  { title: 'After', sweep: 'head', cell: 'right', run: 'b' },
] as const;

interface SweepCellRef {
  sweep: string;
  /** A cell of the matrix: `keyOf` of its runs. */
  cell: string;
}

/** The address of the page with two runs side by side, one of each of these cells. */
export const compareRunsAddress = (base: SweepCellRef, head: SweepCellRef): string =>
  `${addressOf('beside')}?${new URLSearchParams({
    base: base.sweep,
    left: base.cell,
    head: head.sweep,
    right: head.cell,
  }).toString()}`;

/**
 * Two runs side by side: why each ended as it did, and what its agent did. On a narrow screen, one is below the other.
 */
export function CompareRunsPage({ query }: { query: URLSearchParams }) {
  const [base = '', head = ''] = SIDES.map(({ sweep }) => query.get(sweep) ?? '');
  return (
    <Page
      title="Side by side"
      look="wide"
      crumbs={
        <>
          <a href={addressOf()}>Sweeps</a>
          {base !== head && (
            <>
              <span aria-hidden="true">/</span>
              <a href={`${addressOf('compare')}?${new URLSearchParams({ base, head }).toString()}`}>Compare</a>
            </>
          )}
        </>
      }
    >
      <h1>Side by side</h1>
      <div class="beside">
        {SIDES.map(({ title, sweep, cell, run }) => (
          <Side
            key={title}
            title={title}
            sweep={query.get(sweep) ?? ''}
            cell={query.get(cell) ?? ''}
            chosen={query.get(run) ?? ''}
            onChoose={(id) => {
              const next = new URLSearchParams(query);
              next.set(run, id);
              replaceQuery(`?${next.toString()}`);
            }}
          />
        ))}
      </div>
    </Page>
  );
}

interface SideProps extends SweepCellRef {
  title: string;
  /** The id of a run; empty: the first one, which is one that did not pass if there is any. */
  chosen: string;
  onChoose: (run: string) => void;
}

function Side({ title, sweep, cell, chosen, onChoose }: SideProps) {
  const selection = { ...selectionIn(new URLSearchParams()), at: cell };
  const { value, problem } = useWatched<SweepAnswer>(sweepAddress(sweep, selection, { from: 0, limit: RUNS }));
  const runs = (value?.runs ?? []).flatMap(({ results_dir: folder, repetition, outcome }) =>
    folder === null ? [] : [{ id: runIdOf(folder), repetition, outcome }],
  );
  const run = runs.find(({ id }) => id === chosen) ?? runs[0];
  return (
    <section aria-label={title} class="side">
      <h2>
        {title}{' '}
        <span class="soft">
          <Name>{sweep}</Name>
        </span>
      </h2>
      {value === null ? (
        <Waiting problem={problem} />
      ) : run === undefined ? (
        <p class="soft">No run has ended.</p>
      ) : (
        <>
          <label class="filters">
            <span class="soft">Run</span>
            <select value={run.id} onChange={(event) => onChoose(event.currentTarget.value)}>
              {runs.map(({ id, repetition, outcome }) => (
                <option key={id} value={id}>
                  #{repetition} {outcome ?? ''}
                </option>
              ))}
            </select>
          </label>
          <Shown key={run.id} id={run.id} title={title} />
        </>
      )}
    </section>
  );
}

function Shown({ id, title }: { id: string; title: string }) {
  const { events, problem, isOver } = useEvents(id);
  const loaded = useLoaded<RunAnswer>(`/api/runs/${encodeURIComponent(id)}`, isOver);
  const conversation = useMemo(() => conversationOf(events), [events]);
  const { value } = loaded;
  if (value === null || value.state === 'open') return <Waiting problem={loaded.problem} />;
  const { run, metrics } = value;
  const calls = conversation.items.filter((item): item is Call => item.kind === 'call');
  return (
    <>
      <Problem text={problem ?? loaded.problem} />
      <p>
        <Chip look={run.outcome} /> <a href={addressOf('runs', id)}>{plainText(run.scenario.name)}</a>{' '}
        {run.outcome !== 'pass' && <Name>{run.message}</Name>}
      </p>
      <Gates run={id} metrics={metrics} calls={calls} label={`Gates, ${title}`} />
      <UsedSoFar run={id} conversation={conversation} at={0} />
      <ConversationView
        run={id}
        prompt={run.scenario.prompt}
        conversation={conversation}
        at={0}
        isLive={false}
        label={`Conversation, ${title}`}
      />
    </>
  );
}
