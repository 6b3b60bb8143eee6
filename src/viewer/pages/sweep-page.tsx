import { useState } from 'preact/hooks';
import type { SweepAnswer } from '../protocol.js';
import { queryOf, selectionIn, type Selection } from '../shared/selection.js';
import { embedded, useWatched } from './api.js';
import { sweepAddress } from './download-runs.js';
import { Figures } from './figures.js';
import { FilterBar } from './filter-bar.js';
import { Matrix } from './matrix.js';
import { Page, Problem, Tables, Waiting } from './parts.js';
import { addressOf, replaceQuery } from './router.js';
import { DRAWN, RunTable } from './run-table.js';
import { SweepHead } from './sweep-head.js';

/** A sweep: its matrix, and its runs. */
export function SweepPage({ id, query }: { id: string; query: URLSearchParams }) {
  const [from, setFrom] = useState(0);
  const selection = selectionIn(query);
  const { value, problem } = useWatched<SweepAnswer>(sweepAddress(id, selection, { from, limit: DRAWN }), id);
  if (value === null)
    return (
      <Page title={id}>
        <Waiting problem={problem} />
      </Page>
    );
  const set = (change: Partial<Selection>): void => {
    setFrom(0);
    replaceQuery(queryOf({ ...selection, ...change }));
  };
  return (
    <Page title={id} crumbs={embedded === null ? <a href={addressOf()}>Sweeps</a> : null}>
      <SweepHead answer={value} />
      <Problem text={problem} />
      <Matrix cells={value.matrix} at={selection.at} onSelect={(at) => set({ at })} />
      <FilterBar answer={value} selection={selection} set={set} />
      <Problem text={value.problem} />
      <RunTable answer={value} selection={selection} set={set} showFrom={setFrom} />
      <Figures figures={value.figures} />
      <Tables tables={value.tables} />
    </Page>
  );
}
