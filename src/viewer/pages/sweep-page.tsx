import { useState } from 'preact/hooks';
import { plainText } from '#lib/pure';
import type { SweepAnswer } from '../protocol.js';
import { embedded, useWatched } from './api.js';
import { Matrix } from './matrix.js';
import { Page, Problem, Tables, Waiting } from './parts.js';
import { addressOf, replaceQuery } from './router.js';
import { Runs } from './run-list.js';
import { SweepHead } from './sweep-head.js';
import { queryOf, selectionIn, type Selection } from '../shared/select-runs.js';

const SHOWN = 100;

/** A sweep: its matrix, and its runs. */
export function SweepPage({ id, query }: { id: string; query: URLSearchParams }) {
  const [limit, setLimit] = useState(SHOWN);
  const selection = selectionIn(query);
  const address = `/api/sweeps/${encodeURIComponent(id)}`;
  const { value, problem } = useWatched<SweepAnswer>(`${address}${withLimit(queryOf(selection), limit)}`, address);
  if (value === null)
    return (
      <Page title={id}>
        <Waiting problem={problem} />
      </Page>
    );
  return (
    <Page title={id} crumbs={embedded === null ? <a href={addressOf()}>Sweeps</a> : null}>
      <SweepHead answer={value} />
      <Problem text={problem} />
      <Body answer={value} selection={selection} showMore={() => setLimit(limit + SHOWN * 5)} />
    </Page>
  );
}

const withLimit = (query: string, limit: number): string => `${query}${query === '' ? '?' : '&'}limit=${limit}`;

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

interface FiltersProps {
  choices: SweepAnswer['choices'];
  selection: Selection;
  set: (change: Partial<Selection>) => void;
}

/** The ways in which a sweep's runs can be selected. */
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
