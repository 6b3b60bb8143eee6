import { useLayoutEffect, useRef } from 'preact/hooks';
import { plainText } from '#lib/pure';
import type { ListedRun, OpenRunState, SweepAnswer } from '../protocol.js';
import { type Column, columnsIn, textIn } from '../shared/columns.js';
import { agentName } from '../shared/configuration.js';
import type { Selection } from '../shared/selection.js';
import { embedded } from './api.js';
import { Chip, Name } from './parts.js';
import { Note, Rating } from './rating.js';
import { addressOf } from './router.js';

/** The height of a row: rows that are not drawn need a place, too. The style sheet has the same number. */
const ROW_PX = 66;
/** Rows that are drawn above and below those that are seen, so that Tab and a scroll find some. */
const AROUND = 20;
/** Rows of a part: many enough for a high screen. */
export const DRAWN = 100;

/** The first row of the part of a table that is drawn when so much of it is above the screen. */
const partAt = (scrolled: number): number => Math.max(0, Math.floor((scrolled / ROW_PX - AROUND) / AROUND) * AROUND);

interface RunTableProps {
  answer: SweepAnswer;
  selection: Selection;
  set: (change: Partial<Selection>) => void;
  /** Asks for the part of the table that begins with this row. */
  showFrom: (from: number) => void;
}

/** The selected runs as a table that sorts. Only the rows near those that are seen are drawn. */
export function RunTable({ answer, selection, set, showFrom }: RunTableProps) {
  const { document, runs, found, from, open, columns: known } = answer;
  const all = document.totals.cells;
  const box = useRef<HTMLDivElement>(null);
  const columns = shownColumns(selection, known);
  const about = JSON.stringify([selection.filter, selection.at, selection.sort, selection.against]);
  useLayoutEffect(() => {
    if (box.current !== null) box.current.scrollTop = 0;
  }, [about]);
  const after = Math.max(0, found - from - runs.length);
  return (
    <section aria-label="Runs">
      <h2>
        Runs <span class="soft">{found === all ? all : `${found} of ${all}`}</span>
      </h2>
      <div
        ref={box}
        class="card runs"
        tabIndex={0}
        role="group"
        aria-label="Table of runs"
        onScroll={(event) => showFrom(partAt(event.currentTarget.scrollTop))}
      >
        <table aria-rowcount={found + 1}>
          <thead>
            <tr aria-rowindex={1}>
              <Heading title="Run" name="scenario" {...{ selection, set }} />
              {columns.map(({ name, title }) => (
                <Heading key={name} {...{ name, title, selection, set }} />
              ))}
            </tr>
          </thead>
          <Gap rows={from} />
          <tbody>
            {runs.map((run, at) => (
              <Run
                key={run.id}
                run={run}
                row={from + at + 2}
                open={open.find(({ cell }) => cell === run.id)}
                isRepeated={answer.isRepeated}
                columns={columns}
              />
            ))}
          </tbody>
          <Gap rows={after} />
        </table>
        {found === 0 && <p class="soft">No run matches.</p>}
      </div>
    </section>
  );
}

/** The columns beside that of the run. Of those that are usual, only those of which something is known. */
export function shownColumns({ columns, against }: Selection, known: readonly string[]): readonly Column[] {
  const canReview = (name: string): boolean => embedded === null && ['rating', 'notes'].includes(name);
  const chosen = columnsIn(columns).filter(({ name }) => columns !== '' || known.includes(name) || canReview(name));
  return against === '' || columns !== '' ? chosen : [...columnsIn('other'), ...chosen];
}

/** The place of rows that are not drawn. */
const Gap = ({ rows }: { rows: number }) =>
  rows === 0 ? null : (
    <tbody aria-hidden="true">
      <tr>
        <td style={{ height: `${rows * ROW_PX}px` }} />
      </tr>
    </tbody>
  );

interface HeadingProps extends Pick<RunTableProps, 'selection' | 'set'> {
  name: string;
  title: string;
}

/** The heading of a column. It sorts upwards, downwards, and then as is usual. */
function Heading({ name, title, selection: { sort }, set }: HeadingProps) {
  const [isUp, isDown] = [sort === name, sort === `-${name}`];
  return (
    <th scope="col" aria-sort={isUp ? 'ascending' : isDown ? 'descending' : 'none'}>
      <button type="button" class="sort" onClick={() => set({ sort: isUp ? `-${name}` : isDown ? '' : name })}>
        {title}
        <span aria-hidden="true">{isUp ? ' ▲' : isDown ? ' ▼' : ''}</span>
      </button>
    </th>
  );
}

interface RunProps {
  run: ListedRun;
  /** Its row in the whole table. */
  row: number;
  open: OpenRunState | undefined;
  isRepeated: boolean;
  columns: readonly Column[];
}

/** The id of a run is the name of its folder. */
export const runIdOf = (folder: string): string => folder.slice(folder.lastIndexOf('/') + 1);

function Run({ run, row, open, isRepeated, columns }: RunProps) {
  const id = open?.run ?? (run.results_dir === null ? null : runIdOf(run.results_dir));
  const name = (
    <>
      <Name>{run.scenario}</Name>
      {run.variant !== 'default' && (
        <span class="tag">
          <Name>{run.variant}</Name>
        </span>
      )}
      <span class="soft">
        <Name>{agentName(run)}</Name>
        {isRepeated && ` #${run.repetition}`}
        {run.cached && ' reused'}
      </span>
    </>
  );
  return (
    <tr class={`run ${run.look}`} aria-rowindex={row}>
      <th scope="row">
        <div class="what">
          <Chip look={run.look} />
          {id === null ? (
            <span class="name">{name}</span>
          ) : (
            <a class="name" href={addressOf('runs', id)}>
              {name}
            </a>
          )}
        </div>
      </th>
      {columns.map((column) => (
        <td key={column.name} class={column.kind === 'number' ? 'number' : column.name}>
          <Value run={run} id={id} column={column} open={open} />
        </td>
      ))}
    </tr>
  );
}

interface ValueProps extends Pick<RunProps, 'run' | 'open'> {
  id: string | null;
  column: Column;
}

function Value({ run, id, column, open }: ValueProps) {
  // Open runs, and those of a report in one file, cannot be reviewed.
  const reviewed = embedded === null && open === undefined && run.outcome !== null ? id : null;
  switch (column.name) {
    case 'outcome':
      return <Chip look={run.look} />;
    case 'other':
      return run.other === undefined ? null : <Chip look={run.other} />;
    case 'reason':
      return <Reason run={run} open={open} />;
    case 'rating':
      return reviewed === null ? <Name>{textIn(column, run)}</Name> : <Rating run={reviewed} human={run.human} />;
    case 'notes':
      return reviewed === null ? <Clamped text={textIn(column, run)} /> : <Note run={reviewed} human={run.human} />;
    default:
      return <Clamped text={textIn(column, run)} />;
  }
}

const doingText = ({ step, doing }: OpenRunState): string => [step, doing].filter((part) => part !== null).join(': ');

function Reason({ run: { why, end }, open }: Pick<RunProps, 'run' | 'open'>) {
  const reason = open === undefined ? why : doingText(open);
  return (
    <>
      {reason !== undefined && (
        <div class="why" title={plainText(reason)}>
          <Name>{reason}</Name>
        </div>
      )}
      {end !== undefined && (
        <div class="end soft" title={plainText(end)}>
          <Name>{end}</Name>
        </div>
      )}
    </>
  );
}

const Clamped = ({ text }: { text: string }) => (
  <div class="why" title={plainText(text)}>
    <Name>{text}</Name>
  </div>
);
