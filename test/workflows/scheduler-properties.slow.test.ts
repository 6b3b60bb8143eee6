import fc from 'fast-check';
import { expect, it } from 'vitest';
import { turnOrder } from '../../src/decide/select-cells.js';
import type { Cell } from '../../src/model/records/cell.js';
import type { Outcome } from '../../src/model/records/run-facts.js';
import type { PageCell } from '../../src/protocol/index.js';
import {
  carry,
  startState,
  accountOf,
  allRead,
  isOver,
  type SchedulerState,
} from '../../src/workflows/scheduler/state.js';
import type { Cost } from '../../src/workflows/scheduler/money.js';
import { at, finish, play, type Game, type World } from './scheduler-game.js';
import { cell } from './stub-activities.js';

const HOUR_MS = 3600_000;

const ACCOUNTS = [undefined, 'house', 'other'] as const;
/** The cost of a run as known before it begins: an enforced limit, nothing, or that it is free. */
const ESTIMATES = {
  limited: { estimateUsd: 0.5, limited: true },
  unknown: { estimateUsd: null },
  free: { estimateUsd: 0 },
} satisfies Record<string, Partial<PageCell>>;
const kinds = fc.constantFrom(...(Object.keys(ESTIMATES) as (keyof typeof ESTIMATES)[]));
const caps = fc.array(fc.option(fc.integer({ min: 1, max: 3 })), { minLength: 3, maxLength: 3 });
const capsOf = (kind: string, found: readonly (number | null)[]): Record<string, number> =>
  Object.fromEntries(found.flatMap((cap, index) => (cap === null ? [] : [[`${kind}${index}`, cap]])));

/** Few numbers, so that the counterexamples of fast-check are readable. */
const worlds = fc.record({
  count: fc.integer({ min: 0, max: 240 }),
  agents: fc.integer({ min: 1, max: 3 }),
  models: fc.integer({ min: 1, max: 3 }),
  concurrency: fc.integer({ min: 1, max: 6 }),
  agentCaps: caps,
  modelCaps: caps,
  finished: fc.integer({ min: 2, max: 9 }),
  budget: fc.option(
    fc.record({
      quarters: fc.integer({ min: 1, max: 24 }),
      kinds: fc.array(kinds, { minLength: 3, maxLength: 3 }),
    }),
  ),
});
type Settings = typeof worlds extends fc.Arbitrary<infer T> ? T : never;

function worldOf({ count, agents, models, finished, budget, ...more }: Settings): World {
  const planned = Array.from({ length: count }, (_, index): Cell => {
    const of = { agent: `a${index % agents}`, model: `m${index % models}` };
    return cell(index, { id: `${index}`, ...of });
  });
  const cells = turnOrder(planned).map((position): PageCell => {
    const one = planned[position] ?? cell();
    const agent = Number(one.agent.slice(1));
    const provider = ACCOUNTS[agent];
    return {
      cell: one,
      finished: one.repetition % finished === finished - 1 ? 'fail' : null,
      ...(provider === undefined ? {} : { provider }),
      ...(budget === null ? {} : ESTIMATES[budget.kinds[agent] ?? 'free']),
    };
  });
  return {
    cells,
    earlierUsd: 0.25 * Math.floor(count / 30),
    input: {
      sweep: 's',
      proof: 'p',
      round: 1,
      concurrency: more.concurrency,
      ...(budget === null ? {} : { maxUsd: budget.quarters / 4 }),
      caps: { agents: capsOf('a', more.agentCaps), models: capsOf('m', more.modelCaps) },
    },
  };
}

/** Ends a run in one of many ways, at a cost within its limit if it has one. */
function endSomehow(game: Game, id: string | undefined, index: number): void {
  const page = id === undefined ? undefined : game.state().open.get(id)?.page;
  if (id === undefined || page === undefined) return;
  const { estimateUsd, limited } = page;
  const outcome: Outcome = (['pass', 'pass', 'fail', 'error'] as const)[index % 4] ?? 'pass';
  const paid = limited === true ? [0, 0.25, 0.5] : [0.25, 0.5, 1];
  const dear: Cost = index % 5 === 4 ? { costUsd: null, knownUsd: 0.25 } : { costUsd: paid[index % 3] ?? null };
  const cost = estimateUsd === 0 ? { costUsd: 0 } : dear;
  game.end(id, outcome, cost, outcome === 'error' ? { cell: id, message: 'lost', since: 0 } : undefined);
}

const MOVES = {
  deliver: (game: Game) => game.deliver(),
  end: (game: Game, index: number) => endSomehow(game, at(game.working, index), index),
  'end a parked run': (game: Game, index: number) => endSomehow(game, at(game.parked, index), index),
  'tell an end again': (game: Game, index: number) => game.endAgain(at(game.ended.keys(), index) ?? ''),
  busy: (game: Game, index: number) => game.park(at(game.working, index) ?? '', 'busy', 5000),
  limit: (game: Game, index: number) => game.park(at(game.working, index) ?? '', 'limit', HOUR_MS),
  'wait too late': (game: Game, index: number) => game.parkTooLate(at(game.ended.keys(), index) ?? '', HOUR_MS),
  pause: (game: Game) => game.send({ type: 'paused' }),
  resume: (game: Game) => game.send({ type: 'resumed' }),
  'skip waits': (game: Game) => game.send({ type: 'waits skipped' }),
  'a minute passes': (game: Game) => game.pass(60_000),
  'two hours pass': (game: Game) => game.pass(2 * HOUR_MS),
  'begin to hand over': (game: Game) => game.hold(),
  'continue as new': (game: Game) => game.continueAsNew(),
} satisfies Record<string, (game: Game, index: number) => void>;
type Move = [keyof typeof MOVES, number];
/** `size: 'max'`, because by default fast-check makes lists of at most ten. */
const moves = fc.array(fc.tuple(fc.constantFrom(...(Object.keys(MOVES) as (keyof typeof MOVES)[])), fc.nat(50)), {
  maxLength: 120,
  size: 'max',
});

function begin(of: World, played: readonly Move[]): Game {
  const game = play(of);
  game.send({ type: 'time' });
  for (const [move, index] of played) MOVES[move](game, index);
  return game;
}

const toRun = ({ cells }: World): PageCell[] => cells.filter(({ finished }) => finished === null);

/** Every cell has a result or was left out because of the budget; none was started twice. */
function expectComplete(game: Game, of: World): void {
  const { counts, money } = game.state();
  const leftOut = toRun(of).filter((page) => !game.started.includes(page.cell.id));
  expect(new Set(game.started).size).toBe(game.started.length);
  expect([...game.ended.keys()].sort()).toEqual([...game.started].sort());
  expect(leftOut).toHaveLength(money?.unaffordable ?? 0);
  expect(game.started.length + leftOut.length).toBe(toRun(of).length);
  expect(counts.pass + counts.fail + counts.error + counts.cancelled).toBe(of.cells.length);
  const room = (of.input.maxUsd ?? Infinity) - game.spentUsd();
  for (const { estimateUsd = null, limited } of leftOut) {
    expect(estimateUsd).not.toBe(0);
    if (limited === true) expect(estimateUsd).toBeGreaterThan(room);
  }
}

it('caps and budget hold for any events in any order, and every cell is started once and ends once', () => {
  fc.assert(
    fc.property(worlds, moves, (settings, played) => {
      const of = worldOf(settings);
      const game = begin(of, played);
      finish(game, (id) => endSomehow(game, id, game.ended.size));
      expectComplete(game, of);
    }),
    { numRuns: 300 },
  );
});

it('a retry runs cells without a result or to be run again, on what the previous round has left of the budget', () => {
  fc.assert(
    fc.property(worlds, moves, moves, fc.boolean(), (settings, first, second, isCancelled) => {
      const of = worldOf(settings);
      const before = begin(of, first);
      if (isCancelled) {
        before.send({ type: 'cancelled' });
        for (const id of [...before.working, ...before.parked]) before.end(id, 'cancelled');
      } else finish(before, (id) => endSomehow(before, id, before.ended.size));

      const retried: World = {
        input: { ...of.input, round: 2, again: ['error'] },
        cells: of.cells.map((page): PageCell => {
          const end = before.ended.get(page.cell.id);
          if (end === undefined) return page;
          const { outcome } = end;
          const isUndone = outcome === 'error' || outcome === 'cancelled';
          return { ...page, finished: isUndone ? null : outcome };
        }),
        earlierUsd: before.spentUsd(),
      };
      const game = begin(retried, second);
      finish(game, (id) => endSomehow(game, id, game.ended.size));
      expectComplete(game, retried);
    }),
  );
});

it('a cancelled sweep starts and wakes nothing more, and is over once its open runs have ended', () => {
  fc.assert(
    fc.property(worlds, moves, moves, (settings, before, after) => {
      const game = begin(worldOf(settings), before);
      game.send({ type: 'cancelled' });
      const [started, parked] = [game.started.length, new Set(game.parked)];
      for (const [move, index] of after) {
        // A history of a cancelled sweep has no successor.
        if (move !== 'continue as new' && move !== 'begin to hand over') MOVES[move](game, index);
      }
      expect(game.started).toHaveLength(started);
      for (const id of [...game.working, ...game.parked]) game.end(id, 'cancelled');
      expect(isOver(game.state())).toBe(true);
      expect([...parked].every((id) => game.ended.has(id))).toBe(true);
    }),
  );
});

/** True if the caps of agent and model allow a run of this cell. */
function hasRoom(game: Game, { cell: { agent, model } }: PageCell): boolean {
  const { open, caps: most } = game.state();
  const working = [...game.working].flatMap((id) => open.get(id)?.page.cell ?? []);
  return (
    working.filter((one) => one.agent === agent).length < (most.agents[agent] ?? Infinity) &&
    working.filter((one) => one.model === model).length < (most.models[model] ?? Infinity)
  );
}

const isLimited = (game: Game, page: PageCell): boolean => Object.hasOwn(game.state().limits, accountOf(page) ?? '');

/** True if caps, limits and waiting runs of its account allow a run of this cell. */
function mayWork(game: Game, page: PageCell): boolean {
  const { open, caps: most } = game.state();
  const parkedBeside = [...game.parked].filter((id) => {
    const other = open.get(id)?.page;
    if (other === undefined) return false;
    return accountOf(page) === null ? other.cell.agent === page.cell.agent : accountOf(other) === accountOf(page);
  });
  return hasRoom(game, page) && !isLimited(game, page) && parkedBeside.length < 2 * most.total;
}

/** The waiting cells that could start and the waiting runs that could continue: there should be none. */
function couldWork(game: Game): string[] {
  const { open, queues } = game.state();
  const startable = queues.flatMap((queue) => queue.cells).filter((page) => mayWork(game, page));
  const due = [...open.values()].filter(
    ({ page, parked }) =>
      parked !== null && parked.until <= game.now() && hasRoom(game, page) && !isLimited(game, page),
  );
  return [...startable, ...due.map(({ page }) => page)].map((page) => page.cell.id);
}

it('no slot stays free while a cell could start or a run could continue, and more cells are read for a free slot', () => {
  fc.assert(
    fc.property(worlds, moves, (settings, played) => {
      const of = worldOf({ ...settings, budget: null });
      const game = play(of);
      game.send({ type: 'time' });
      for (const [move, index] of played) {
        MOVES[move](game, index);
        const state = game.state();
        if (state.paused || state.held || game.working.size >= of.input.concurrency) continue;
        expect(couldWork(game)).toEqual([]);
        expect(state.loading || allRead(state) || unreadCouldWork(of, game).length === 0).toBe(true);
      }
    }),
  );
});

/** Cells that were not read, or must be read again, and could start. */
function unreadCouldWork(of: World, game: Game): PageCell[] {
  const { queues, open } = game.state();
  const read = new Set(queues.flatMap((queue) => queue.cells.map((page) => page.cell.id)));
  return toRun(of).filter(
    (page) =>
      !read.has(page.cell.id) && !open.has(page.cell.id) && !game.ended.has(page.cell.id) && mayWork(game, page),
  );
}

const toReread = ({ unread }: SchedulerState): number[] => unread.flatMap(({ positions }) => positions);

it('a history hands everything over to the next one', () => {
  fc.assert(
    fc.property(worlds, moves, (settings, played) => {
      const of = worldOf(settings);
      const game = begin(of, played);
      while (game.loads.length > 0) game.deliver();
      const state = game.state();
      const carried = carry(state);
      const next = startState({ ...of.input, state: carried });
      const { unread } = next;
      expect(next).toEqual({ ...state, queues: [], unread, held: false, loading: false });
      const waiting = state.queues.flatMap(({ cells }) => cells.map(({ position }) => position));
      expect(toReread(next).sort()).toEqual([...waiting, ...toReread(state)].sort());
      expect(carry(next)).toEqual(carried);
    }),
  );
});
