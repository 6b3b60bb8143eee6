import { describe, expect, it } from 'vitest';
import { turnOrder } from '../../src/decide/select-cells.js';
import type { Cell } from '../../src/model/records/cell.js';
import type { PageCell, SweepInput } from '../../src/protocol/index.js';
import { PAGE } from '../../src/workflows/scheduler/reading.js';
import { isOver } from '../../src/workflows/scheduler/state.js';
import { at, finish, play, type Game } from './scheduler-game.js';
import { NO_CAPS, cell } from './stub-activities.js';

const HOUR_MS = 3600_000;

type Served = Pick<PageCell, 'provider' | 'account'>;
const many = (count: number, more: (index: number) => Partial<Cell> & Served): PageCell[] => {
  const cells = Array.from({ length: count }, (_, index): PageCell => {
    const { provider, account, ...of } = more(index);
    return {
      cell: cell(index, { id: `${index}`, ...of }),
      finished: null,
      ...(provider === undefined ? {} : { provider }),
      ...(account === undefined ? {} : { account }),
    };
  });
  return turnOrder(cells.map((one) => one.cell)).flatMap((position) => cells[position] ?? []);
};

it('two slots stay busy through 10,000 cells while one run waits five hours for its provider', () => {
  const cells = many(10_000, () => ({}));
  const game = play({ cells, input: { sweep: 's', proof: 'p', round: 1, concurrency: 2, caps: NO_CAPS } });
  game.send({ type: 'time' });
  game.deliver();
  const [first = ''] = game.started;
  game.park(first, 'busy', 5 * HOUR_MS);
  while (game.started.length < cells.length) {
    if (game.loads.length > 0) game.deliver();
    else {
      expect(game.working.size).toBe(2);
      game.end(at(game.working, 0) ?? '');
      if (game.started.length % 1000 === 0) game.continueAsNew();
    }
  }
  finish(game);
  expect(game.ended.size).toBe(cells.length);
});

it('a limit of one provider leaves all slots to the others, no matter how many of its cells come first', () => {
  const cells = many(2000, (index) =>
    index < 1000 ? { agent: 'a', provider: 'house' } : { agent: 'b', provider: 'other' },
  );
  const game = play({ cells, input: { sweep: 's', proof: 'p', round: 1, concurrency: 4, caps: NO_CAPS } });
  game.send({ type: 'time' });
  game.deliver();
  for (const id of [...game.working]) if (Number(id) < 1000) game.park(id, 'limit', 5 * HOUR_MS);
  const others = (): number => [...game.ended.keys()].filter((id) => Number(id) >= 1000).length;
  while (others() < 1000) {
    if (game.loads.length > 0) game.deliver();
    else {
      expect(game.working.size).toBe(Math.min(4, 1000 - others()));
      game.end(at(game.working, 0) ?? '');
    }
  }
  expect(game.started.filter((id) => Number(id) < 1000).length).toBeLessThanOrEqual(4);
  finish(game);
});

it('a limit belongs to an account: all its agents wait, while other accounts of the provider run', () => {
  const ACCOUNTS_OF = { a: 'house/key-1', b: 'house/login', c: 'house/key-1' };
  const agents = Object.keys(ACCOUNTS_OF) as (keyof typeof ACCOUNTS_OF)[];
  const cells = many(30, (index) => {
    const agent = agents[index % 3] ?? 'a';
    return { agent, provider: 'house', account: ACCOUNTS_OF[agent] };
  });
  const game = play({ cells, input: { sweep: 's', proof: 'p', round: 1, concurrency: 1, caps: NO_CAPS } });
  game.send({ type: 'time' });
  game.deliver();
  game.park('0', 'limit', 5 * HOUR_MS);
  while (game.working.size > 0) game.end(at(game.working, 0) ?? '');
  const ofLogin = cells.filter(({ account }) => account === 'house/login').map((page) => page.cell.id);
  expect(game.started).toEqual(['0', ...ofLogin]);
  expect(Object.keys(game.state().limits)).toEqual(['house/key-1']);
  finish(game);
  expect(game.ended.size).toBe(cells.length);
});

it('the cap of one agent keeps no other agent idle, even if its own cells come first in the plan', () => {
  const cells = many(600, (index) => ({ agent: index < 500 ? 'a' : 'b' }));
  const caps = { agents: { a: 1 }, models: {} };
  const game = play({ cells, input: { sweep: 's', proof: 'p', round: 1, concurrency: 3, caps } });
  game.send({ type: 'time' });
  while (game.loads.length > 0) game.deliver();
  const working = (): string[] => [...game.working].map((id) => (Number(id) < 500 ? 'a' : 'b')).sort();
  for (let left = 100; left > 2; left -= 1) {
    expect(working()).toEqual(['a', 'b', 'b']);
    game.end([...game.working].find((id) => Number(id) >= 500) ?? '');
    while (game.loads.length > 0) game.deliver();
  }
});

it('agents take turns, and within the turns of an agent its models do', () => {
  const cells = many(12, (index) => ({
    agent: index < 8 ? 'a' : 'b',
    model: index < 8 ? `m${Math.floor(index / 4)}` : 'm0',
  }));
  const game = play({ cells, input: { sweep: 's', proof: 'p', round: 1, concurrency: 1, caps: NO_CAPS } });
  game.send({ type: 'time' });
  game.deliver();
  while (game.working.size > 0) game.end(at(game.working, 0) ?? '');
  expect(game.started).toEqual(['0', '8', '4', '9', '1', '10', '5', '11', '2', '6', '3', '7']);
});

it('a busy account parks fewer than three runs per slot', () => {
  const cells = many(50, () => ({ provider: 'house' }));
  const game = play({ cells, input: { sweep: 's', proof: 'p', round: 1, concurrency: 3, caps: NO_CAPS } });
  game.send({ type: 'time' });
  game.deliver();
  for (let rounds = 0; rounds < 20; rounds += 1) for (const id of [...game.working]) game.park(id, 'busy', HOUR_MS);
  expect(game.parked.size).toBeGreaterThanOrEqual(6);
  expect(game.parked.size).toBeLessThan(9);
  finish(game);
  expect(game.ended.size).toBe(50);
});

it('updates that arrive in one workflow task do not end the sweep early', () => {
  const game = play({
    cells: many(5, () => ({})),
    input: { sweep: 's', proof: 'p', round: 1, concurrency: 1, caps: NO_CAPS },
  });
  game.send({ type: 'paused' });
  game.send({ type: 'resumed' });
  game.send({ type: 'paused' });
  expect(isOver(game.state())).toBe(false);
  game.send({ type: 'resumed' });
  finish(game);
  expect(game.ended.size).toBe(5);
});

it('cells that have a result from before are counted by their outcome, and not run again', () => {
  const cells = many(5, () => ({})).map((page, index) => ({
    ...page,
    finished: index < 2 ? ('pass' as const) : index === 2 ? ('fail' as const) : null,
  }));
  const game = play({ cells, input: { sweep: 's', proof: 'p', round: 1, concurrency: 1, caps: NO_CAPS } });
  finish(game);
  expect(game.started).toEqual(['3', '4']);
  expect(game.state().counts).toEqual({ pass: 4, fail: 1, error: 0, cancelled: 0 });
});

it('leaves out and counts a cell that might exceed the budget, and reserves the costs of open runs', () => {
  const cells = many(4, () => ({})).map((page) => ({ ...page, estimateUsd: 0.4, limited: true }));
  const game = play({ cells, input: { sweep: 's', proof: 'p', round: 1, concurrency: 4, caps: NO_CAPS, maxUsd: 1 } });
  game.send({ type: 'time' });
  game.deliver();
  expect(game.working.size).toBe(2);
  for (const id of [...game.working]) game.end(id, 'pass', { costUsd: 0.4 });
  expect(isOver(game.state())).toBe(true);
  expect(game.state()).toMatchObject({
    counts: { pass: 2, error: 2 },
    money: { spentUsd: 0.8, unaffordable: 2 },
  });
});

const COUNT = 3000;

/** Plays a sweep to its end, with a new history after every 500 starts. Returns how often it read cells. */
function readsOf(game: Game, least: () => number): number {
  let reads = 0;
  let started = 0;
  while (!isOver(game.state())) {
    if (game.loads.length > 0) {
      reads += 1;
      game.deliver();
    } else if (game.working.size === 0) game.pass(HOUR_MS);
    else {
      expect(game.working.size).toBeGreaterThanOrEqual(least());
      game.end(at(game.working, 0) ?? '');
      if (game.started.length >= started + 500) {
        started = game.started.length;
        game.continueAsNew();
      }
    }
  }
  expect(game.ended.size).toBe(COUNT);
  return reads;
}

describe('cells are read about once, however many of them must wait', () => {
  const input = { sweep: 's', proof: 'p', round: 1, concurrency: 64, caps: NO_CAPS };
  const begin = (cells: PageCell[], more: Partial<SweepInput> = {}): Game => {
    const game = play({ cells, input: { ...input, ...more } });
    game.send({ type: 'time' });
    game.deliver();
    return game;
  };
  const PAGES = COUNT / PAGE;
  /** Each of 6 histories reads again what the one before had read ahead. */
  const AGAIN = 18;

  it('for a cap that is below the number of slots', () => {
    const game = begin(
      many(COUNT, () => ({ agent: 'a' })),
      { caps: { agents: { a: 10 }, models: {} } },
    );
    expect(readsOf(game, () => 1)).toBeLessThanOrEqual(PAGES + AGAIN);
  });

  it('for a budget that allows fewer runs than there are slots', () => {
    const cells = many(COUNT, () => ({})).map((page) => ({ ...page, estimateUsd: 1, limited: true }));
    expect(readsOf(begin(cells, { maxUsd: 20 }), () => 1)).toBeLessThanOrEqual(PAGES + AGAIN);
  });

  it('for an account that is at its limit, whose cells do not keep other accounts from using all slots', () => {
    const game = begin(many(COUNT, (index) => ({ agent: `a${index % 2}`, provider: `p${index % 2}` })));
    const ofFirst = (id: string): boolean => Number(id) % 2 === 0;
    for (const id of [...game.working].filter(ofFirst)) game.park(id, 'limit', 5 * HOUR_MS);
    const left = (): number => COUNT / 2 - [...game.ended.keys()].filter((id) => !ofFirst(id)).length;
    // After its limit, the first account has the slots.
    expect(readsOf(game, () => (left() > 0 ? Math.min(64, left()) : 1))).toBeLessThanOrEqual(2 * PAGES + AGAIN);
  });
});

it('cells are read before a slot is free for them, so that a slow answer leaves no slot free', () => {
  const game = play({
    cells: many(COUNT, () => ({})),
    input: { sweep: 's', proof: 'p', round: 1, concurrency: 64, caps: NO_CAPS },
  });
  game.send({ type: 'time' });
  game.deliver();
  while (game.ended.size < COUNT) {
    // An answer takes as long as 30 runs.
    for (let run = 0; run < 30 && game.working.size > 0; run += 1) {
      expect(game.working.size).toBe(Math.min(64, COUNT - game.ended.size));
      game.end(at(game.working, 0) ?? '');
    }
    game.deliver();
  }
});

it('agents, models and accounts may have the names of properties that every object has', () => {
  const names = ['constructor', 'toString', '__proto__', 'hasOwnProperty'];
  const cells = many(3 * names.length, (index) => {
    const name = names[index % names.length] ?? '';
    return { agent: name, model: name, account: name };
  });
  const game = play({ cells, input: { sweep: 's', proof: 'p', round: 1, concurrency: 4, caps: NO_CAPS } });
  game.send({ type: 'time' });
  game.deliver();
  expect(game.working.size).toBe(4);
  finish(game);
  expect(game.ended.size).toBe(cells.length);
});

it('a run that is parked stays so if an earlier signal of it comes late, and is woken for its last wait', () => {
  const game = play({
    cells: many(1, () => ({})),
    input: { sweep: 's', proof: 'p', round: 1, concurrency: 1, caps: NO_CAPS },
  });
  game.send({ type: 'time' });
  game.deliver();
  for (const nth of [2, 1])
    game.send({ type: 'parked', cell: '0', parked: { nth, why: 'busy', until: game.now() + HOUR_MS } });
  expect(game.state().open.get('0')?.parked).toMatchObject({ nth: 2 });
});
