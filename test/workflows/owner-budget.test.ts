import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CellPage, PageCell } from '../../src/protocol/index.js';
import type { SweepAction, SweepEvent } from '../../src/workflows/scheduler/events.js';
import { overBudgetOf } from '../../src/workflows/scheduler/money.js';
import { reduce } from '../../src/workflows/scheduler/reduce.js';
import { carry, isOver, startState } from '../../src/workflows/scheduler/state.js';
import { cell } from './stub-activities.js';

const MONTH = '2026-11';

/** The spending that all sweeps of an owner have recorded. */
interface Ledger {
  month: string;
  cents: number;
}

const NEXT_MONTH = '2026-12';

/** A sweep played without Temporal, whose costs come from the ledger that it shares with others. */
function playSweep(ledger: Ledger, monthUsd: number, pages: readonly PageCell[], concurrency: number) {
  const input = { sweep: 's', proof: 'p', round: 1, concurrency, caps: { agents: {}, models: {} }, monthUsd };
  let state = startState(input);
  const open = new Set<string>();
  const begunIn = new Map<string, string>();
  let asked = 0;
  const send = (event: SweepEvent): void => {
    const step = reduce(state, event, 0);
    state = step.state;
    for (const action of step.actions) perform(action);
  };
  function perform(action: SweepAction): void {
    if (action.type === 'start') {
      open.add(action.cell.cell.id);
      begunIn.set(action.cell.cell.id, ledger.month);
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
    begunIn,
    asked: () => asked,
    state: () => state,
    /** Reads the ledger, and delivers what it said at `at`. */
    answer: (at: Ledger): void => {
      asked -= 1;
      send({ type: 'month read', month: { name: at.month, spentUsd: at.cents / 100 } });
    },
    end: (id: string, cents: number): void => {
      open.delete(id);
      if (begunIn.get(id) === ledger.month) ledger.cents += cents;
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

const pagesOf = (costs: readonly (number | null)[], isLimited = true): PageCell[] =>
  costs.map((cents, index) => ({
    cell: cell(index + 1),
    finished: null,
    estimateUsd: cents === null ? null : cents / 100,
    ...(cents === null || !isLimited ? {} : { limited: true as const }),
  }));

test('once a budget is used up, only runs in flight add to it; a cell is left out only if it has no room', () => {
  const cents = fc.integer({ min: 1, max: 60 });
  // Estimates say little: an agent may cost ten times as much.
  const estimate = fc.option(cents);
  const costs = fc.array(fc.record({ estimate, cents: fc.oneof(cents, fc.integer({ min: 60, max: 600 })) }), {
    maxLength: 12,
  });
  const settings = fc.record({ costs, concurrency: fc.integer({ min: 1, max: 4 }), isLimited: fc.boolean() });
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 600 }),
      fc.array(settings, { minLength: 1, maxLength: 6 }),
      fc.infiniteStream(fc.nat(1000)),
      (max, all, choices) => {
        const choose = (): number => Number(choices.next().value);
        const ledger: Ledger = { month: MONTH, cents: 0 };
        const sweeps = all.map(({ costs: of, concurrency, isLimited }) => {
          const pages = pagesOf(
            of.map((one) => one.estimate),
            isLimited,
          );
          /** `reading`: the answer on its way. `late`: runs by month that ended after its budget was used up. */
          return {
            ...{ game: playSweep(ledger, max / 100, pages, concurrency), reading: null as Ledger | null },
            ...{ lostCents: 0, late: new Map<string, number>(), of, concurrency },
          };
        });
        const usedUp = new Set<string>();
        for (let steps = 0; ; steps += 1) {
          if (steps > 3000) throw new Error('the sweeps never end');
          if (ledger.cents >= max) usedUp.add(ledger.month);
          const possible = sweeps.flatMap((sweep) => {
            const { game, reading, of, late, concurrency } = sweep;
            const costOf = (id: string): number => of[Number(id.split('/').at(-1)) - 1]?.cents ?? 0;
            const steps = [...game.open].map((id) => () => {
              const month = game.begunIn.get(id) ?? '';
              if (usedUp.has(month)) late.set(month, (late.get(month) ?? 0) + 1);
              expect(late.get(month) ?? 0).toBeLessThanOrEqual(concurrency);
              if (choose() % 10 > 0) game.end(id, costOf(id));
              else {
                sweep.lostCents += costOf(id);
                game.lose(id, costOf(id));
              }
            });
            if (reading === null && game.asked() > 0) steps.push(() => (sweep.reading = { ...ledger }));
            if (reading !== null)
              steps.push(() => {
                const { unaffordable: before = 0, name = '' } = game.state().money?.month ?? {};
                if (name !== '' && name !== reading.month) sweep.lostCents = 0;
                game.answer(reading);
                sweep.reading = null;
                const dearest = Math.max(1, ...of.map((one) => Math.max(one.estimate ?? 0, one.cents)));
                if ((game.state().money?.month?.unaffordable ?? 0) > before)
                  expect(reading.cents + sweep.lostCents + dearest).toBeGreaterThan(max);
              });
            return steps;
          });
          if (possible.length === 0) break;
          const choice = choose();
          if (choice % 50 === 0 && ledger.month === MONTH) Object.assign(ledger, { month: NEXT_MONTH, cents: 0 });
          const killed = choice % 20 === 1 ? sweeps[choose() % sweeps.length] : undefined;
          if (killed === undefined) possible[choice % possible.length]?.();
          else {
            killed.reading = null; // nobody answers what was asked before
            killed.game.continueAsNew();
          }
        }
        for (const { game } of sweeps) expect(isOver(game.state())).toBe(true);
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

test('goes on in the next month, also in a new history of the sweep, whatever was lost in the one before', () => {
  const ledger: Ledger = { month: MONTH, cents: 0 };
  const game = playSweep(ledger, 1, pagesOf([60, 60]), 1);
  game.answer(ledger);
  game.send({ type: 'paused' });
  game.lose([...game.open][0] ?? '', 60);
  game.continueAsNew();
  game.send({ type: 'resumed' });
  Object.assign(ledger, { month: NEXT_MONTH, cents: 0 });
  game.answer(ledger);
  expect(game.open.size).toBe(1);
});

test('without a budget of the owner, nothing is read', () => {
  const state = startState({ sweep: 's', proof: 'p', round: 1, concurrency: 1, caps: { agents: {}, models: {} } });
  expect(state.money).toBeNull();
});
