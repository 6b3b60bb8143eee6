import { expect } from 'vitest';
import { costOwner } from '../../src/decide/budget.js';
import type { Outcome } from '../../src/model/records/run-facts.js';
import type { LostCell, PageCell, Parked, SweepInput } from '../../src/protocol/index.js';
import {
  carry,
  startState,
  accountOf,
  isOver,
  kindKey,
  cellKindOf,
  nextTime,
} from '../../src/workflows/scheduler/state.js';
import type { Cost } from '../../src/workflows/scheduler/money.js';
import { PAGE, type CellsToRead } from '../../src/workflows/scheduler/reading.js';
import type { SweepAction, SweepEvent } from '../../src/workflows/scheduler/events.js';
import { MAX_STARTING } from '../../src/workflows/scheduler/next-action.js';
import { reduce } from '../../src/workflows/scheduler/reduce.js';

export interface World {
  input: SweepInput;
  cells: PageCell[];
  /** The costs of earlier rounds. */
  earlierUsd?: number;
}

/** The end of a run, and what is known of its cost. */
interface End {
  outcome: Outcome;
  cost: Cost;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
const knownUsd = ({ costUsd, knownUsd = 0 }: Cost): number => costUsd ?? knownUsd;

/** A sweep played without Temporal: this performs, records and checks what the reducer decides. */
export function play({ input, cells, earlierUsd = 0 }: World) {
  const pages = new Map(cells.map((page) => [page.cell.id, page]));
  let spentUsd = earlierUsd;
  /** The highest reported cost of a run in each group of cells that are expected to cost the same. */
  const dearest = new Map<string, number>();
  let state = startState(input);
  let now = 1_000_000;
  let isHandingOver = false;
  const started: string[] = [];
  const working = new Set<string>();
  const parked = new Set<string>();
  const ended = new Map<string, End>();
  const loads: CellsToRead[] = [];
  /** Cells whose runs the server was asked to start. */
  const starting: string[] = [];
  let most = 0;

  const pagesOf = (ids: Iterable<string>): PageCell[] => [...ids].flatMap((id) => pages.get(id) ?? []);

  function act(actions: readonly SweepAction[]): void {
    for (const action of actions) {
      switch (action.type) {
        case 'place':
        case 'stop seeking':
          throw new Error('this sweep places no runs');
        case 'decide':
          throw new Error('this sweep runs all cells');
        case 'read month':
          throw new Error('the owner of this sweep has no budget');
        case 'start':
          expect(isHandingOver).toBe(false);
          checkBudget(action.cell);
          started.push(action.cell.cell.id);
          working.add(action.cell.cell.id);
          starting.push(action.cell.cell.id);
          break;
        case 'wake':
          expect(parked.delete(action.cell)).toBe(true);
          working.add(action.cell);
          break;
        case 'load':
          expect(isHandingOver).toBe(false);
          loads.push(action.wanted);
          break;
        case 'cancel runs':
          break; // the game ends them
      }
    }
    most = Math.max(most, working.size);
    checkCaps();
    // Earlier costs are known once the first page has been read.
    if (state.money !== null && state.offset > 0) expect(state.money.spentUsd).toBeCloseTo(spentUsd, 6);
  }
  function checkCaps(): void {
    const open = pagesOf(working).map((page) => page.cell);
    expect(open.length).toBeLessThanOrEqual(input.concurrency);
    for (const [agent, cap] of Object.entries(input.caps.agents))
      expect(open.filter((one) => one.agent === agent).length).toBeLessThanOrEqual(cap);
    for (const [model, cap] of Object.entries(input.caps.models))
      expect(open.filter((one) => one.model === model).length).toBeLessThanOrEqual(cap);
  }
  /**
   * The cell fits into what spent money and open runs leave of the budget; if its cost is unknown, no other is open.
   */
  function checkBudget({ cell, estimateUsd = null, limited }: PageCell): void {
    if (input.maxUsd === undefined || estimateUsd === 0) return;
    const room = input.maxUsd - spentUsd;
    expect(room).toBeGreaterThan(0);
    const open = pagesOf([...working, ...parked]).map((page) => page.estimateUsd ?? null);
    const mayCost = limited === true ? estimateUsd : (dearest.get(costOwner(cell)) ?? estimateUsd);
    if (mayCost === null) expect(open.filter((usd) => usd !== 0)).toEqual([]);
    else expect(mayCost + sum(open.map((usd) => usd ?? 0))).toBeLessThanOrEqual(room);
  }
  function send(event: SweepEvent): void {
    const step = reduce(state, event, now);
    state = step.state;
    act(step.actions);
    expect(state.starting.size).toBeLessThanOrEqual(MAX_STARTING);
    // The server starts the runs at once.
    for (let cell = starting.shift(); cell !== undefined; cell = starting.shift()) send({ type: 'begun', cell });
  }
  /** Sends an event that comes too late and must be ignored. */
  function sendInVain(event: SweepEvent): void {
    const { open, counts, lost, money, limits } = state;
    send(event);
    expect(state.open).toBe(open);
    expect(state).toMatchObject({ counts, lost, money, limits });
  }
  function parkedOf(id: string, why: 'busy' | 'limit', ms: number): SweepEvent {
    const account = pages.has(id) ? accountOf(pages.get(id) ?? {}) : null;
    const wait: Parked = { nth: 1, why, until: now + ms, ...(account === null ? {} : { account }) };
    return { type: 'parked', cell: id, parked: wait };
  }

  return {
    state: () => state,
    now: () => now,
    started,
    working,
    parked,
    ended,
    loads,
    most: () => most,
    spentUsd: () => spentUsd,
    isHandingOver: () => isHandingOver,
    send,
    deliver(): void {
      const wanted = loads.shift();
      if (wanted === undefined) return;
      const page =
        'offset' in wanted
          ? cells.slice(wanted.offset, wanted.offset + PAGE)
          : wanted.positions.flatMap((position) => cells[position] ?? []);
      const isFirst = 'offset' in wanted && wanted.offset === 0;
      const earlier = isFirst && input.maxUsd !== undefined ? { earlierUsd } : {};
      const later = 'offset' in wanted ? cells.slice(wanted.offset + PAGE).map(cellKindOf) : [];
      const rest = [...new Map(later.map((kind) => [kindKey(kind), kind])).values()];
      send({
        type: 'loaded',
        page: { cells: page, total: cells.length, ...earlier, ...('offset' in wanted ? { rest } : {}) },
        wanted,
      });
    },
    end(id: string, outcome: Outcome = 'pass', cost: Cost = { costUsd: 0 }, lost?: LostCell): void {
      if (!working.delete(id) && !parked.delete(id)) return;
      expect(ended.has(id)).toBe(false);
      ended.set(id, { outcome, cost });
      spentUsd += knownUsd(cost);
      for (const page of cost.costUsd === null ? [] : pagesOf([id])) {
        const owner = costOwner(page.cell);
        dearest.set(owner, Math.max(cost.costUsd ?? 0, dearest.get(owner) ?? 0));
      }
      send({ type: 'ended', cell: id, outcome, cost, ...(lost === undefined ? {} : { lost }) });
    },
    /** The server reports an end that a signal has already reported. */
    endAgain(id: string): void {
      if (!ended.has(id)) return;
      const lost: LostCell = { cell: id, message: 'told again', since: 0 };
      sendInVain({ type: 'ended', cell: id, outcome: 'error', cost: { costUsd: 1 }, lost });
    },
    park(id: string, why: 'busy' | 'limit', ms: number): void {
      if (!working.delete(id)) return;
      parked.add(id);
      send(parkedOf(id, why, ms));
    },
    parkTooLate(id: string, ms: number): void {
      if (ended.has(id)) sendInVain(parkedOf(id, 'limit', ms));
    },
    pass(ms: number): void {
      now += ms;
      send({ type: 'time' });
    },
    /** A new history is about to take over: nothing more is started here, and events until then are left to it. */
    hold(): void {
      isHandingOver = true;
      send({ type: 'held' });
    },
    /** A new history takes over. The state passes through JSON, as in Temporal. */
    continueAsNew(): void {
      this.hold();
      while (loads.length > 0) this.deliver();
      const carried = JSON.parse(JSON.stringify(carry(state))) as SweepInput['state'];
      state = startState({ ...input, ...(carried === undefined ? {} : { state: carried }) });
      isHandingOver = false;
      send({ type: 'time' });
    },
  };
}
export type Game = ReturnType<typeof play>;

export const at = <T>(items: Iterable<T>, index: number): T | undefined => {
  const list = [...items];
  return list.length === 0 ? undefined : list[index % list.length];
};

/** Plays until the sweep is over. */
export function finish(game: Game, end: (id: string) => void = (id) => game.end(id)): void {
  if (game.isHandingOver()) game.continueAsNew();
  game.send({ type: 'resumed' });
  for (let rounds = 0; !isOver(game.state()); rounds += 1) {
    if (rounds > 5000) throw new Error('the sweep never ends');
    if (game.loads.length > 0) game.deliver();
    else if (game.working.size > 0) end(at(game.working, 0) ?? '');
    else {
      const next = nextTime(game.state(), game.now());
      if (next === null) throw new Error(`nothing is left to wait for: ${JSON.stringify([...game.parked])}`);
      game.pass(next - game.now());
    }
  }
}
