import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Cell } from '../../src/model/records/cell.js';
import type { OpenRun, SweepInput } from '../../src/protocol/index.js';
import {
  carry,
  startState,
  incarnationOf,
  isOver,
  placedRuns,
  workingRuns,
  type SchedulerState,
} from '../../src/workflows/scheduler/state.js';
import type { SweepAction, SweepEvent } from '../../src/workflows/scheduler/events.js';
import { reduce } from '../../src/workflows/scheduler/reduce.js';
import { cell } from './stub-activities.js';

const INPUT: SweepInput = {
  sweep: 's',
  proof: 'p',
  round: 1,
  concurrency: 5,
  placed: true,
  caps: { agents: { a0: 3 }, models: { m1: 2 } },
};
const HOUSE = { name: 'house', queue: 'q', proof: 'p' };

const cellsOf = (count: number): Cell[] =>
  Array.from({ length: count }, (_, index) =>
    cell(index, { id: `${index}`, agent: `a${index % 2}`, model: `m${index % 3}` }),
  );

/** A sweep whose runs are placed, without Temporal. Checks the caps after each event. */
function play(cells: readonly Cell[], input = INPUT) {
  let state = startState(input);
  const sought: OpenRun[] = [];
  const act = (actions: readonly SweepAction[]): void => {
    for (const action of actions) {
      expect(action.type).not.toBe('start');
      if (action.type === 'place') sought.push(action.run);
      if (action.type === 'load')
        send({
          type: 'loaded',
          wanted: action.wanted,
          page: {
            total: cells.length,
            cells: ('offset' in action.wanted
              ? cells.slice(action.wanted.offset)
              : action.wanted.positions.flatMap((position) => cells[position] ?? [])
            ).map((one) => ({ cell: one, finished: null })),
          },
        });
    }
  };
  const send = (event: SweepEvent): void => {
    const step = reduce(state, event, 0);
    state = step.state;
    act(step.actions);
    const working = workingRuns(state).map(({ page }) => page.cell);
    expect(working.length).toBeLessThanOrEqual(input.concurrency);
    expect(working.filter(({ agent }) => agent === 'a0').length).toBeLessThanOrEqual(3);
    expect(working.filter(({ model }) => model === 'm1').length).toBeLessThanOrEqual(2);
  };
  const handOver = (): void => {
    send({ type: 'held' });
    const seeking = [...state.open].filter(([, { place }]) => place === 'being sought');
    for (const [id] of seeking) send({ type: 'not placed', cell: id });
    state = startState({
      ...input,
      state: JSON.parse(JSON.stringify(carry(state))) as ReturnType<typeof carry>,
    });
    sought.length = 0;
    send({ type: 'time' });
  };
  send({ type: 'time' });
  return { state: (): SchedulerState => state, send, sought, handOver };
}

it('places runs within the caps, and places a run again after its host was lost', () => {
  const moves = fc.array(fc.tuple(fc.constantFrom('place', 'end', 'lose', 'hand over', 'pause', 'resume'), fc.nat(9)), {
    maxLength: 60,
  });
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 25 }), moves, (count, steps) => {
      const cells = cellsOf(count);
      const game = play(cells);
      const lost = new Map<string, number>();
      const ends = new Map<string, number>();
      const placeNext = (): void => {
        const run = game.sought.shift();
        if (run === undefined) return;
        expect(incarnationOf(run)).toBe((lost.get(run.page.cell.id) ?? 0) + 1);
        game.send({
          type: 'placed',
          cell: run.page.cell.id,
          place: { ...HOUSE, host: `h${run.page.cell.id}` },
        });
      };
      const placed = (index: number): string | undefined => {
        const runs = placedRuns(game.state());
        return runs[index % Math.max(1, runs.length)]?.run.page.cell.id;
      };
      const end = (id: string | undefined): void => {
        if (id === undefined) return;
        ends.set(id, (ends.get(id) ?? 0) + 1);
        game.send({ type: 'ended', cell: id, outcome: 'pass', cost: { costUsd: 0 } });
      };
      for (const [move, index] of steps) {
        if (move === 'place') placeNext();
        else if (move === 'end') end(placed(index));
        else if (move === 'hand over') game.handOver();
        else if (move === 'pause') game.send({ type: 'paused' });
        else if (move === 'resume') game.send({ type: 'resumed' });
        else {
          const id = placed(index);
          if (id === undefined) continue;
          lost.set(id, (lost.get(id) ?? 0) + 1);
          game.send({ type: 'host lost', cell: id, host: { id: `h${id}`, name: 'house', at: 0 } });
        }
      }
      game.send({ type: 'resumed' });
      while (game.sought.length > 0 || placedRuns(game.state()).length > 0) {
        placeNext();
        end(placed(0));
      }
      expect(isOver(game.state())).toBe(true);
      expect([...ends].sort()).toEqual(cells.map(({ id }) => [id, 1]).sort());
      expect(game.state().counts.pass).toBe(count);
    }),
  );
});

it('lets other agents start while the hosts of one are full', () => {
  const cells = Array.from({ length: 40 }, (_, index) =>
    cell(index, { id: `${index}`, agent: index % 2 === 0 ? 'busy' : 'idle' }),
  );
  const game = play(cells, { ...INPUT, concurrency: 10, caps: { agents: {}, models: {} } });
  const of = (agent: string) => game.sought.filter(({ page }) => page.cell.agent === agent);
  expect(of('busy')).toHaveLength(4);
  expect(of('idle')).toHaveLength(4);
  const [run] = of('idle');
  game.send({ type: 'placed', cell: run?.page.cell.id ?? '', place: { ...HOUSE, host: 'h' } });
  expect(of('busy')).toHaveLength(4);
  expect(of('idle')).toHaveLength(5); // of which one is placed
});

it('a run that lost its host while it waited for its provider is placed again at once', () => {
  const game = play(cellsOf(1));
  game.send({ type: 'placed', cell: '0', place: { ...HOUSE, host: 'h' } });
  game.send({ type: 'parked', cell: '0', parked: { nth: 1, why: 'busy', until: 1e9 } });
  expect(workingRuns(game.state())).toHaveLength(0);
  game.send({ type: 'host lost', cell: '0', host: { id: 'h', name: 'house', at: 5 } });
  expect(game.sought.map(({ parked, lostHosts }) => ({ parked, lostHosts }))).toEqual([
    expect.anything(),
    { parked: null, lostHosts: [{ id: 'h', name: 'house', at: 5 }] },
  ]);
});
