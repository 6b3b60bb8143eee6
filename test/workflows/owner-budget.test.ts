import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CellPage, PageCell } from '../../src/protocol/index.js';
import type { SweepAction, SweepEvent } from '../../src/workflows/scheduler/events.js';
import { overBudgetOf } from '../../src/workflows/scheduler/money.js';
import { reduce } from '../../src/workflows/scheduler/reduce.js';
import { carry, isOver, startState } from '../../src/workflows/scheduler/state.js';
import { cell } from './stub-activities.js';

const MONTH = '2026-11';

interface Run {
  sweep: number;
  cell: string;
  cents: number;
}

/** The spending that all sweeps of an owner have recorded. */
interface Ledger {
  month: string;
  cents: number;
}

/** A sweep played without Temporal, whose costs come from the ledger that it shares with others. */
function playSweep(ledger: Ledger, monthUsd: number, pages: readonly PageCell[], concurrency: number) {
  const input = { sweep: 's', proof: 'p', round: 1, concurrency, caps: { agents: {}, models: {} }, monthUsd };
  let state = startState(input);
  const open = new Set<string>();
  let asked = 0;
  const send = (event: SweepEvent): void => {
    const step = reduce(state, event, 0);
    state = step.state;
    for (const action of step.actions) perform(action);
  };
  function perform(action: SweepAction): void {
    if (action.type === 'start') {
      open.add(action.cell.cell.id);
      send({ type: 'begun', cell: action.cell.cell.id });
    } else if (action.type === 'read month') asked += 1;
    else if (action.type === 'load') {
      const page: CellPage = { cells: [...pages], total: pages.length, earlierUsd: 0 };
      send({ type: 'loaded', page, wanted: action.wanted });
    } else throw new Error(action.type);
  }
  send({ type: 'time' });
  return {
    open,
    asked: () => asked,
    state: () => state,
    /** Reads the ledger, and delivers what it said at `at`. */
    answer: (at: Ledger): void => {
      asked -= 1;
      send({ type: 'month read', month: { name: at.month, spentUsd: at.cents / 100 } });
    },
    end: (id: string, cents: number): void => {
      open.delete(id);
      ledger.cents += cents;
      send({ type: 'ended', cell: id, outcome: 'pass', cost: { costUsd: cents / 100 } });
    },
    lose: (id: string, cents: number): void => {
      open.delete(id);
      const lost = { cell: id, message: 'lost', since: 0 };
      send({ type: 'ended', cell: id, outcome: 'error', cost: { costUsd: null, knownUsd: cents / 100 }, lost });
    },
    continueAsNew: (): void => {
      asked = 0;
      state = startState({ ...input, state: JSON.parse(JSON.stringify(carry(state))) as ReturnType<typeof carry> });
      send({ type: 'time' });
    },
    send,
  };
}

const pagesOf = (costs: readonly (number | null)[]): PageCell[] =>
  costs.map((cents, index) => ({
    cell: cell(index + 1),
    finished: null,
    estimateUsd: cents === null ? null : cents / 100,
    ...(cents === null ? {} : { limited: true as const }),
  }));

test('sweeps of an owner exceed the budget by no more than the runs in flight, and each of them ends', () => {
  const cents = fc.integer({ min: 1, max: 60 });
  const costs = fc.array(fc.record({ cents, isKnown: fc.boolean() }), { maxLength: 12 });
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 300 }),
      fc.array(fc.record({ costs, concurrency: fc.integer({ min: 1, max: 4 }) }), { minLength: 1, maxLength: 4 }),
      fc.infiniteStream(fc.nat(1000)),
      (max, settings, choices) => {
        const ledger: Ledger = { month: MONTH, cents: 0 };
        const sweeps = settings.map(({ costs: of, concurrency }) =>
          playSweep(ledger, max / 100, pagesOf(of.map((one) => (one.isKnown ? one.cents : null))), concurrency),
        );
        const costOf = ({ sweep, cell: id }: Pick<Run, 'sweep' | 'cell'>): number =>
          settings[sweep]?.costs[Number(id.split('/').at(-1)) - 1]?.cents ?? 0;
        /** The answers that are on their way to sweeps. */
        const readings: { sweep: number; at: Ledger }[] = [];
        let mayExceed: number | null = null;
        for (let steps = 0; ; steps += 1) {
          if (steps > 2000) throw new Error('the sweeps never end');
          const possible: (() => void)[] = [];
          for (const [sweep, game] of sweeps.entries()) {
            const told = readings.find((one) => one.sweep === sweep);
            if (told !== undefined)
              possible.push(() => {
                readings.splice(readings.indexOf(told), 1);
                game.answer(told.at);
              });
            else if (game.asked() > 0) possible.push(() => readings.push({ sweep, at: { ...ledger } }));
            for (const id of game.open) possible.push(() => game.end(id, costOf({ sweep, cell: id })));
          }
          if (possible.length === 0) break;
          const choice = Number(choices.next().value);
          possible[choice % possible.length]?.();
          const inFlight = sweeps.flatMap((game, sweep) => [...game.open].map((id) => costOf({ sweep, cell: id })));
          // From when the budget is used up, only what is open or about to start with an older reading is added.
          if (ledger.cents >= max)
            mayExceed ??=
              ledger.cents +
              inFlight.reduce((sum, one) => sum + one, 0) +
              settings.reduce((sum, { costs: of, concurrency }, sweep) => {
                const isBehind = readings.some((one) => one.sweep === sweep && one.at.cents < max);
                const dearest = Math.max(0, ...of.map((one) => one.cents));
                return sum + (isBehind ? dearest * concurrency : 0);
              }, 0);
          if (mayExceed !== null) expect(ledger.cents).toBeLessThanOrEqual(mayExceed);
        }
        for (const game of sweeps) expect(isOver(game.state())).toBe(true);
      },
    ),
  );
});

test('one sweep of known costs stays within the budget', () => {
  const cents = fc.integer({ min: 0, max: 100 });
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 300 }),
      fc.array(cents, { maxLength: 12 }),
      fc.integer({ min: 1, max: 5 }),
      (max, costs, concurrency) => {
        const ledger: Ledger = { month: MONTH, cents: 0 };
        const game = playSweep(ledger, max / 100, pagesOf(costs), concurrency);
        for (;;) {
          const [id] = game.open;
          if (game.asked() > 0) game.answer(ledger);
          else if (id !== undefined) game.end(id, costs[Number(id.split('/').at(-1)) - 1] ?? 0);
          else break;
          expect(ledger.cents).toBeLessThanOrEqual(max);
        }
        expect(isOver(game.state())).toBe(true);
      },
    ),
  );
});

test('what others have spent counts, and cells that it leaves no room for are left out', () => {
  const ledger: Ledger = { month: MONTH, cents: 70 };
  const game = playSweep(ledger, 1, pagesOf([20, 20, 20]), 1);
  expect(game.open.size).toBe(0); // not before it is known what was spent
  game.answer(ledger);
  const [first = ''] = game.open;
  game.end(first, 20);
  game.answer(ledger);
  expect(isOver(game.state())).toBe(true);
  const { money, counts } = game.state();
  expect(counts).toMatchObject({ pass: 1, error: 2 });
  expect(money === null ? null : overBudgetOf(money)).toEqual({
    overBudget: { maxUsd: 1, spentUsd: 0.9, month: MONTH },
  });
});

test('a run that left no result counts as what it may have cost', () => {
  const ledger: Ledger = { month: MONTH, cents: 0 };
  const game = playSweep(ledger, 1, pagesOf([60, 60]), 1);
  game.answer(ledger);
  game.lose([...game.open][0] ?? '', 60);
  game.answer(ledger);
  expect(game.state().counts).toMatchObject({ error: 2 });
  expect(game.open.size).toBe(0);
});

test('an answer from before a run ended does not count', () => {
  const ledger: Ledger = { month: MONTH, cents: 0 };
  const game = playSweep(ledger, 1, pagesOf([30, 30, 60]), 2);
  game.answer(ledger);
  const [first = '', second = ''] = game.open;
  game.end(first, 30);
  const between = { ...ledger };
  game.end(second, 30);
  game.answer(between);
  expect([game.open.size, game.asked()]).toEqual([0, 1]);
  game.answer(ledger);
  expect(game.state().counts).toMatchObject({ pass: 2, error: 1 });
});

test('goes on in the next month, also in a new history of the sweep', () => {
  const ledger: Ledger = { month: MONTH, cents: 100 };
  const game = playSweep(ledger, 1, pagesOf([60, 60]), 1);
  game.send({ type: 'paused' });
  game.continueAsNew();
  game.send({ type: 'resumed' });
  Object.assign(ledger, { month: '2026-12', cents: 0 });
  game.answer(ledger);
  expect(game.open.size).toBe(1);
});

test('without a budget of the owner, nothing is read', () => {
  const state = startState({ sweep: 's', proof: 'p', round: 1, concurrency: 1, caps: { agents: {}, models: {} } });
  expect(state.money).toBeNull();
});
