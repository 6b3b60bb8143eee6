import { useEffect, useState } from 'preact/hooks';
import { formatCost, shortKnownCost } from '../../lib/format/dollars.js';
import { formatDuration } from '../../lib/format/duration.js';
import { plainText } from '../../lib/format/plain-text.js';
import type { ListedRun, OpenRunState, SweepAnswer } from '../protocol.js';
import { useWatched } from './api.js';
import { embedded } from './embedded.js';
import { Matrix } from './matrix.js';
import { Chip, Name, OutcomeBar, Outside, Problem, Waiting } from './parts.js';
import { addressOf, replaceQuery } from './router.js';
import { Steering } from './steering.js';
import { agentName, outcomeName, queryOf, selectionIn, type Selection } from '../shared/select-runs.js';
import { percent, statusOf } from './sweeps-page.js';

const SHOWN = 100;

/** A sweep: its matrix, and its runs. */
export function SweepPage({ id, query }: { id: string; query: URLSearchParams }) {
  const [limit, setLimit] = useState(SHOWN);
  const selection = selectionIn(query);
  const address = `/api/sweeps/${encodeURIComponent(id)}`;
  const { value, problem } = useWatched<SweepAnswer>(
    `${address}${withLimit(queryOf(selection), limit)}`,
    address,
  );
  useEffect(() => {
    document.title = `${plainText(id)} · llm-tool-test`;
  }, [id]);
  if (value === null)
    return (
      <main id="main">
        <Waiting problem={problem} />
      </main>
    );
  return (
    <main id="main">
      {embedded === null && (
        <nav aria-label="Breadcrumb" class="crumbs">
          <a href={addressOf()}>Sweeps</a>
        </nav>
      )}
      <Head answer={value} />
      <Problem text={problem} />
      <Body answer={value} selection={selection} showMore={() => setLimit(limit + SHOWN * 5)} />
    </main>
  );
}

const withLimit = (query: string, limit: number): string =>
  `${query}${query === '' ? '?' : '&'}limit=${limit}`;

function Head({ answer: { document, engine, openCount, choices, notes } }: { answer: SweepAnswer }) {
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
        {isOpen && embedded === null && <Steering sweep={document.sweep} isHeld={word !== 'running'} />}
        {embedded === null && <CompareLinks sweep={document.sweep} variants={choices.variants} />}
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

interface BodyProps {
  answer: SweepAnswer;
  selection: Selection;
  showMore: () => void;
}

function Body({ answer, selection, showMore }: BodyProps) {
  const set = (change: Partial<Selection>): void => {
    replaceQuery(queryOf({ ...selection, ...change }));
  };
  return (
    <>
      <Matrix cells={answer.matrix} at={selection.at} onSelect={(at) => set({ at })} />
      <Filters choices={answer.choices} selection={selection} set={set} />
      <Runs answer={answer} showMore={showMore} />
      <Tables tables={answer.tables} />
    </>
  );
}

/** Results by parameter, of a sweep that is a matrix of them. */
const Tables = ({ tables }: Pick<SweepAnswer, 'tables'>) => (
  <>
    {tables.map(({ title, columns, rows }) => (
      <section key={title} aria-label={title}>
        <h2>
          <Name>{title}</Name>
        </h2>
        <div class="card scroll" tabIndex={0} role="group" aria-label={`Table: ${title}`}>
          <table class="plain">
            <thead>
              <tr>
                {columns.map((text) => (
                  <th key={text} scope="col">
                    <Name>{text}</Name>
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((row, number) => (
                <tr key={number}>
                  {row.map((text, at) => (
                    <td key={at}>
                      <Name>{text}</Name>
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </section>
    ))}
  </>
);

interface FiltersProps {
  choices: SweepAnswer['choices'];
  selection: Selection;
  set: (change: Partial<Selection>) => void;
}

function Filters({ choices: { outcomes, scenarios, agents, labels }, selection, set }: FiltersProps) {
  const choices: [keyof Selection, string, string[]][] = [
    ['outcome', 'outcomes', outcomes],
    ['scenario', 'scenarios', scenarios],
    ['agent', 'agents', agents],
    ['label', 'labels', labels],
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

function Runs({ answer, showMore }: { answer: SweepAnswer; showMore: () => void }) {
  const { document, runs, found, open, isRepeated } = answer;
  const all = document.totals.cells;
  return (
    <section aria-label="Runs">
      <h2>
        Runs <span class="soft">{found === all ? all : `${found} of ${all}`}</span>
      </h2>
      <ul class="runs card">
        {runs.map((run) => (
          <Run
            key={run.id}
            cell={run}
            open={open.find(({ cell }) => cell === run.id)}
            isRepeated={isRepeated}
          />
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
const runIdOf = (folder: string): string => folder.slice(folder.lastIndexOf('/') + 1);

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
  const reason =
    open === undefined ? (cell.outcome === 'pass' ? null : (cell.why ?? cell.message)) : doingText(open);
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
