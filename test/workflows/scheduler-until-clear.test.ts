import { expect, test } from 'vitest';
import type { Decided, PageCell, SweepInput } from '../../src/protocol/index.js';
import { carry, startState, isOver } from '../../src/workflows/scheduler/state.js';
import type { SweepAction, SweepEvent } from '../../src/workflows/scheduler/events.js';
import { reduce } from '../../src/workflows/scheduler/reduce.js';
import { NO_CAPS, cell } from './stub-activities.js';

const input: SweepInput = { sweep: 's1', proof: 'p', round: 1, concurrency: 4, caps: NO_CAPS, untilClear: true };
const NOTHING = { pass: 0, fail: 0, error: 0, cancelled: 0 };

/** A decision that releases the cells at these positions; none ends the sweep. */
const decided = (positions: number[], released: number): Decided => ({
  decision: {
    base: { variant: 'bare', sweep: null },
    head_variant: 'guided',
    verdict: 'undecided',
    stopped: null,
    margin: null,
    alpha: 0.05,
    difference: null,
    interval: null,
    spent_alpha: 0,
    p: null,
    rounds: 0,
    runs: 0,
    most_runs: 8,
    runs_again: 0,
    pairs_left_out: 0,
  },
  next: positions.length === 0 ? [] : [{ agent: 'mock', model: 'default', positions }],
  released,
  counts: NOTHING,
  spentUsd: 0,
});

const page = (position: number): PageCell => ({ cell: cell(position + 1), finished: null });

/** Sends events one after the other; returns the actions of each. */
function play(from = startState(input)) {
  let state = from;
  return {
    send: (event: SweepEvent): readonly SweepAction[] => {
      const step = reduce(state, event, 0);
      state = step.state;
      return step.actions;
    },
    state: () => state,
  };
}

const typesOf = (actions: readonly SweepAction[]): string[] => actions.map(({ type }) => type);
const load = (positions: number[]): SweepEvent => ({
  type: 'loaded',
  page: { cells: positions.map(page), total: 8 },
  wanted: { positions },
});
const end = (position: number): SweepEvent => ({
  type: 'ended',
  cell: cell(position + 1).id,
  outcome: 'pass',
  cost: { costUsd: 0 },
});

test('reads no page, but asks which cells are released, and asks again when all of them have ended', () => {
  const { send, state } = play();
  expect(send({ type: 'time' })).toEqual([{ type: 'decide', known: { isFirst: true, isLast: false, released: [] } }]);
  expect(send({ type: 'time' })).toEqual([]);
  expect(send({ type: 'decided', decided: decided([0, 1], 2) })).toEqual([
    { type: 'load', wanted: { positions: [0, 1] } },
  ]);
  expect(typesOf(send(load([0, 1])))).toEqual(['start', 'start']);
  expect(send(end(0))).toEqual([]);
  expect(send(end(1))).toEqual([{ type: 'decide', known: { isFirst: false, isLast: false, released: [0, 1] } }]);
  expect(isOver(state())).toBe(false);
  expect(send({ type: 'decided', decided: decided([], 2) })).toEqual([]);
  expect(isOver(state())).toBe(true);
});

test('a paused sweep asks nothing, and continues where it was', () => {
  const { send } = play();
  send({ type: 'paused' });
  expect(send({ type: 'time' })).toEqual([]);
  expect(typesOf(send({ type: 'resumed' }))).toEqual(['decide']);
});

test('a decision that arrives while a new history takes over is carried to it', () => {
  const { send, state } = play();
  send({ type: 'time' });
  send({ type: 'held' });
  expect(send({ type: 'decided', decided: decided([0, 1], 2) })).toEqual([]);
  const next = play(startState({ ...input, state: carry(state()) }));
  expect(next.send({ type: 'time' })).toEqual([{ type: 'load', wanted: { positions: [0, 1] } }]);
});

test('when the budget allows no more, the next decision is the last', () => {
  const { send } = play(startState({ ...input, maxUsd: 1 }));
  send({ type: 'time' });
  send({ type: 'decided', decided: decided([0, 1], 2) });
  const dear = {
    type: 'loaded',
    page: { cells: [0, 1].map((at) => ({ ...page(at), estimateUsd: 2 })), total: 8 },
  };
  expect(send({ ...dear, wanted: { positions: [0, 1] } } as SweepEvent)).toEqual([
    { type: 'decide', known: { isFirst: false, isLast: true, released: [0, 1] } },
  ]);
});

test('a cancelled sweep is over without a decision', () => {
  const { send, state } = play();
  send({ type: 'cancelled' });
  expect(isOver(state())).toBe(true);
});
