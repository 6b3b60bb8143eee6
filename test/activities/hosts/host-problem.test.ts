import { describe, expect, it } from 'vitest';
import { placementProblem } from '../../../src/activities/hosts/host-problem.js';
import { MAX_CONCURRENCY } from '../../../src/lib/limits.js';
import { createOffers } from '../../../src/activities/hosts/host.js';

const NOW = Date.parse('2026-01-01T12:00:00Z');
const MINUTE = 60_000;
const PATIENCE = 10 * MINUTE;
const iso = (ms: number): string => new Date(ms).toISOString();
const ago = (ms: number): string => iso(NOW - ms);

/** A host `a` that declines offers of a sweep, among others. */
function declining() {
  let now = NOW;
  const offers = createOffers(() => now);
  const host = (name: string, declines: string[], more: { draining?: boolean; silentFor?: number } = {}) => ({
    id: name,
    name,
    draining: more.draining ?? false,
    at: iso(now - (more.silentFor ?? 0)),
    declined: declines.map((what) => ({ what, reason: 'not installed', since: iso(now), at: iso(now) })),
  });
  return {
    host,
    wait: (ms: number) => void (now += ms),
    decline: (what: string, madeAt: number, others: ReturnType<typeof host>[] = [], reason = 'no key') => {
      offers.decline(what, reason);
      const own = { ...host('a', []), declined: offers.declined() };
      const offer = { what, sweep: 'sw', agent: 'codex/m', reason, madeAt };
      return placementProblem(offer, { offers, hosts: [own, ...others] }, now, PATIENCE);
    },
    now: () => now,
  };
}
const GIVEN_UP = 'no host can run it (a: no key; b: not installed); run `llm-tool-test workers` to see the hosts';

describe('a cell that hosts decline', () => {
  it('is given up once it has been offered for long and all of them have been declining it', () => {
    const { decline, host, wait } = declining();
    expect(decline('x', NOW, [host('b', ['x'])])).toBeNull();
    wait(9 * MINUTE);
    expect(decline('x', NOW, [host('b', ['x'])])).toBeNull();
    wait(MINUTE);
    expect(decline('x', NOW, [host('b', ['x'])])).toBe(GIVEN_UP);
  });

  it('waits for a host that is full and has declined nothing', () => {
    const { decline, host, wait } = declining();
    for (let minute = 0; minute < 30; minute++) {
      expect(decline('x', NOW, [host('b', ['another'])])).toBeNull();
      wait(MINUTE);
    }
  });

  it.each(['drains', 'restarts'])('waits again when the only host that could run it %s', (what) => {
    const { decline, host, wait, now } = declining();
    for (let minute = 0; minute < 30; minute++) {
      expect(decline('x', NOW, [host('b', [])])).toBeNull();
      wait(MINUTE);
    }
    const others = () => (what === 'drains' ? [host('b', [], { draining: true })] : []);
    expect(decline('x', NOW, others())).toBeNull();
    // Also a cell that is offered now.
    expect(decline('x', now(), others())).toBeNull();
    wait(8 * MINUTE);
    expect(decline('x', NOW, others())).toBeNull();
    wait(2 * MINUTE);
    expect(decline('x', NOW, others())).toContain('a: no key');
  });

  it('does not wait for hosts that drain or have been silent for long', () => {
    const { decline, host, wait } = declining();
    const others = () => [host('b', [], { silentFor: 11 * MINUTE }), host('c', [], { draining: true })];
    decline('x', NOW, others());
    wait(9 * MINUTE);
    decline('x', NOW, others());
    wait(MINUTE);
    expect(decline('x', NOW, others())).toContain('a: no key');
  });

  it('is not waited for as long again if another one of its sweep was given up for the same reason', () => {
    const { decline, host, wait, now } = declining();
    const whats = Array.from({ length: 100 }, (_, index) => `scenario ${index}`);
    decline('scenario 0', NOW);
    wait(9 * MINUTE);
    decline('scenario 0', NOW);
    wait(MINUTE);
    expect(whats.map((what) => decline(what, what === 'scenario 0' ? NOW : now()))).not.toContain(null);
    expect(decline('scenario 1', now(), [], 'another reason')).toBeNull();
    expect(decline('scenario 100', now(), [host('b', [])])).toBeNull();
    expect(decline('scenario 100', now(), [host('b', ['scenario 100'])])).toBe(GIVEN_UP);
  });

  it('is given up if a sweep offers many at once', () => {
    const { decline, wait } = declining();
    const whats = Array.from({ length: 100 }, (_, index) => `scenario ${index}`);
    const declineAll = () => whats.map((what) => decline(what, NOW));
    declineAll();
    wait(9 * MINUTE);
    expect(new Set(declineAll())).toEqual(new Set([null]));
    wait(MINUTE);
    expect(declineAll()).not.toContain(null);
  });
});

describe('the offers that a host declined', () => {
  it('are kept with their first time, the newest last, until they are accepted or old', () => {
    let now = NOW;
    const offers = createOffers(() => now);
    offers.decline('x', 'no key');
    now += MINUTE;
    offers.decline('y', 'no agent');
    offers.decline('x', 'no agent');
    expect(offers.declined()).toEqual([
      { what: 'y', reason: 'no agent', since: ago(-MINUTE), at: ago(-MINUTE) },
      { what: 'x', reason: 'no agent', since: ago(0), at: ago(-MINUTE) },
    ]);
    offers.accept('y');
    now += 11 * MINUTE;
    expect(offers.declined()).toEqual([]);
  });

  it('begin anew if they were not repeated for long', () => {
    let now = NOW;
    const offers = createOffers(() => now);
    offers.decline('x', 'no key');
    now += 11 * MINUTE;
    offers.decline('x', 'no key');
    expect(offers.declined()).toMatchObject([{ since: iso(now) }]);
  });

  it('are at most as many as a sweep offers at once', () => {
    const offers = createOffers(() => NOW);
    for (let index = 0; index < MAX_CONCURRENCY + 10; index++) offers.decline(`cell ${index}`, 'no');
    expect(offers.declined()).toHaveLength(MAX_CONCURRENCY);
    expect(offers.declined()[0]?.what).toBe('cell 10');
  });
});
