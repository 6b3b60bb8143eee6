import { useEffect, useMemo, useState } from 'preact/hooks';
import { formatCost, shortKnownCost } from '../../lib/format/dollars.js';
import { formatDuration } from '../../lib/format/duration.js';
import { plainText } from '../../lib/format/plain-text.js';
import type { SweepCell } from '../../results/records/sweep-document.js';
import type { OpenRunState, SweepAnswer } from '../protocol.js';
import { useWatched } from './api.js';
import { Matrix } from './matrix.js';
import { Chip, Name, OutcomeBar, Outside, Problem, Waiting } from './parts.js';
import { addressOf, replaceQuery } from './router.js';
import { Steering } from './steering.js';
import {
  agentName,
  importantFirst,
  outcomeName,
  queryOf,
  selectionIn,
  selectRuns,
  type Selection,
} from './select-runs.js';
import { percent, statusOf } from './sweeps-page.js';

const SHOWN = 100;

/** A sweep: its matrix, and its runs. */
export function SweepPage({ id, query }: { id: string; query: URLSearchParams }) {
  const { value, problem } = useWatched<SweepAnswer>(`/api/sweeps/${encodeURIComponent(id)}`);
  useEffect(() => {
    document.title = `${id} · llm-tool-test`;
  }, [id]);
  if (value === null)
    return (
      <main id="main">
        <Waiting problem={problem} />
      </main>
    );
  return (
    <main id="main">
      <nav aria-label="Breadcrumb" class="crumbs">
        <a href={addressOf()}>Sweeps</a>
      </nav>
      <Head answer={value} />
      <Problem text={problem} />
      <Body answer={value} selection={selectionIn(query)} />
    </main>
  );
}

function Head({ answer: { document, engine, open } }: { answer: SweepAnswer }) {
  const { totals } = document;
  const tested = totals.passed + totals.failed;
  const [look, word] = statusOf(document.status, false, engine);
  const isOpen = document.status === 'running' || document.status === 'paused';
  const ended = tested + totals.errored + totals.cancelled;
  return (
    <>
      <div class="title">
        <h1>
          <Name>{document.sweep}</Name>
        </h1>
        <Chip look={look}>{word}</Chip>
        {isOpen && <Steering sweep={document.sweep} isHeld={word !== 'running'} />}
        <CompareLinks document={document} />
        {document.ui_url !== null && <Outside href={document.ui_url}>Temporal</Outside>}
      </div>
      <div class="summary">
        <p class="headline">
          <strong>{tested === 0 ? 'n/a' : percent(totals.passed, tested)}</strong> passed
        </p>
        <p class="soft">
          {totals.passed} of {tested} tested
          {totals.errored > 0 && ` · ${totals.errored} ${totals.errored === 1 ? 'error' : 'errors'}`}
          {totals.cancelled > 0 && ` · ${totals.cancelled} cancelled`}
          {ended < totals.cells && ` · ${ended} of ${totals.cells} cells have ended`}
          {open.length > 0 && ` · ${open.length} open`}
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
      {(document.warnings ?? []).map((text) => (
        <p key={text} class="note">
          <Name>{text}</Name>.
        </p>
      ))}
    </>
  );
}

/** Links to comparisons with another sweep, and of each variant with the first one. */
function CompareLinks({ document: { sweep, cells } }: { document: SweepAnswer['document'] }) {
  const [first, ...others] = [...new Set(cells.map(({ variant }) => variant))];
  return (
    <>
      <a href={`${addressOf('compare')}?${new URLSearchParams({ head: sweep }).toString()}`}>Compare</a>
      {others.slice(0, MOST_VARIANTS).map((other) => {
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
const MOST_VARIANTS = 3;

function Body({ answer, selection }: { answer: SweepAnswer; selection: Selection }) {
  const { document, open, why } = answer;
  const { cells } = document;
  const set = (change: Partial<Selection>): void => {
    replaceQuery(queryOf({ ...selection, ...change }));
  };
  const running = useMemo(() => new Map(open.map((one) => [one.cell, one])), [open]);
  const found = useMemo(
    () => importantFirst(selectRuns(cells, selection, why), running),
    [cells, why, running, queryOf(selection)],
  );
  return (
    <>
      <Matrix
        cells={selectRuns(cells, { ...selection, at: '' }, why)}
        running={running}
        at={selection.at}
        onSelect={(at) => set({ at })}
      />
      <Filters cells={cells} selection={selection} set={set} />
      <Runs cells={found} all={cells.length} running={running} why={why} />
    </>
  );
}

interface FiltersProps {
  cells: readonly SweepCell[];
  selection: Selection;
  set: (change: Partial<Selection>) => void;
}

function Filters({ cells, selection, set }: FiltersProps) {
  const distinct = (of: (cell: SweepCell) => string): string[] => [...new Set(cells.map(of))];
  const choices: [keyof Selection, string, string[]][] = [
    ['outcome', 'outcomes', distinct(outcomeName)],
    ['scenario', 'scenarios', distinct(({ scenario }) => scenario)],
    ['agent', 'agents', distinct(agentName)],
    ['label', 'labels', [...new Set(cells.flatMap(({ human }) => human?.labels ?? []))]],
  ];
  const isFiltered = queryOf(selection) !== '';
  return (
    <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
      <input
        type="search"
        aria-label="Search runs"
        placeholder="Search scenario, agent, reason"
        value={selection.text}
        onInput={(event) => set({ text: event.currentTarget.value })}
      />
      {choices
        .filter(([name, , values]) => values.length > 0 || name !== 'label')
        .map(([name, plural, values]) => (
          <select
            key={name}
            aria-label={`Only these ${plural}`}
            value={selection[name]}
            onChange={(event) => set({ [name]: event.currentTarget.value })}
          >
            <option value="">All {plural}</option>
            {values.map((value) => (
              <option key={value} value={value}>
                {plainText(value)}
              </option>
            ))}
          </select>
        ))}
      {isFiltered && (
        <button
          type="button"
          onClick={() => set({ outcome: '', agent: '', scenario: '', label: '', text: '', at: '' })}
        >
          Show all
        </button>
      )}
    </form>
  );
}

interface RunsProps {
  cells: readonly SweepCell[];
  all: number;
  running: ReadonlyMap<string, OpenRunState>;
  why: Readonly<Record<string, string>>;
}

function Runs({ cells, all, running, why }: RunsProps) {
  const [limit, setLimit] = useState(SHOWN);
  const isRepeated = cells.some(({ repetition }) => repetition > 1);
  return (
    <section aria-label="Runs">
      <h2>
        Runs <span class="soft">{cells.length === all ? all : `${cells.length} of ${all}`}</span>
      </h2>
      <ul class="runs card">
        {cells.slice(0, limit).map((cell) => (
          <Run
            key={cell.id}
            cell={cell}
            open={running.get(cell.id)}
            why={why[cell.id]}
            isRepeated={isRepeated}
          />
        ))}
        {cells.length === 0 && <li class="soft">No run matches.</li>}
      </ul>
      {cells.length > limit && (
        <button type="button" onClick={() => setLimit(limit + SHOWN * 5)}>
          Show more ({cells.length - limit})
        </button>
      )}
    </section>
  );
}

interface RunProps {
  cell: SweepCell;
  open: OpenRunState | undefined;
  why: string | undefined;
  isRepeated: boolean;
}

/** The id of a run is the name of its folder. */
const runIdOf = (folder: string): string => folder.slice(folder.lastIndexOf('/') + 1);

function Run({ cell, open, why, isRepeated }: RunProps) {
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
  const reason =
    open === undefined ? (cell.outcome === 'pass' ? null : (why ?? cell.message)) : doingText(open);
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

const doingText = ({ step, doing }: OpenRunState): string =>
  [step, doing].filter((part) => part !== null).join(': ');
