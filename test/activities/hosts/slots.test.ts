import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SlotReserveContext } from '@temporalio/worker';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { slotSupplier } from '../../../src/activities/hosts/slot-supplier.js';
import { createSlots } from '../../../src/activities/hosts/slots.js';

const folder = (): string => mkdtempSync(join(tmpdir(), 'llm-tool-test-slots-'));
const never = new AbortController().signal;

describe('the slots of a host', () => {
  it('are never more than it has, and a worker that starts knows those that are taken', () => {
    const move = fc.tuple(fc.constantFrom('take', 'take again', 'release', 'restart'), fc.nat(6));
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4 }), fc.array(move, { maxLength: 40 }), (total, moves) => {
        const place = folder();
        let slots = createSlots(place, total);
        const model = new Set<string>();
        for (const [what, run] of moves) {
          const id = `run ${run}`;
          if (what === 'restart') slots = createSlots(place, total);
          else if (what === 'release') {
            slots.release(id);
            model.delete(id);
          } else if (what === 'take' ? slots.take(id) : slots.takeAgain(id)) model.add(id);
          expect([...slots.taken().keys()].sort()).toEqual([...model].sort());
          expect(model.size).toBeLessThanOrEqual(total);
          expect(slots.free()).toBeLessThanOrEqual(total - model.size);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('come to a run that wants its slot back before they come to new runs', () => {
    const slots = createSlots(folder(), 1);
    expect(slots.take('first')).toBe(true);
    expect(slots.takeAgain('parked')).toBe(false);
    slots.release('first');
    expect(slots.take('new')).toBe(false);
    expect(slots.takeAgain('parked')).toBe(true);
    slots.release('parked');
    expect(slots.take('new')).toBe(true);
  });

  it('of a draining host are not given to new runs, but its own may continue', () => {
    const slots = createSlots(folder(), 2);
    slots.close(true);
    expect([slots.free(), slots.take('new'), slots.takeAgain('own')]).toEqual([0, false, true]);
    slots.close(false);
    expect(slots.take('new')).toBe(true);
  });

  it('are free if the note about them was cut off', () => {
    const place = folder();
    createSlots(place, 1);
    writeFileSync(join(place, 'slots', 'half'), '{"workflowId":');
    expect(createSlots(place, 1).free()).toBe(1);
    expect(readdirSync(join(place, 'slots'))).toEqual([]);
  });
});

describe('polling for runs', () => {
  const context = {
    slotType: 'activity',
    taskQueue: 'q',
    workerIdentity: 'w',
    isSticky: false,
  } as SlotReserveContext;

  it('waits until a slot is free, and counts polls that are under way', async () => {
    const slots = createSlots(folder(), 2);
    const supplier = slotSupplier(slots);
    slots.take('run');
    const permit = await supplier.reserveSlot(context, never);
    expect(supplier.tryReserveSlot(context)).toBeNull();
    let isReserved = false;
    const waiting = supplier.reserveSlot(context, never).then(() => (isReserved = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(isReserved).toBe(false);
    slots.release('run');
    await waiting;
    supplier.releaseSlot({ permit });
    expect(supplier.tryReserveSlot(context)).not.toBeNull();
  });

  it('is given up with the reason of the signal', async () => {
    const slots = createSlots(folder(), 1);
    slots.take('run');
    const stopping = new AbortController();
    const waiting = slotSupplier(slots).reserveSlot(context, stopping.signal);
    stopping.abort(new Error('the worker stops'));
    await expect(waiting).rejects.toThrow('the worker stops');
  });
});
