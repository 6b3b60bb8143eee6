import { describe, expect, it } from 'vitest';
import { whyNoHost } from '../../../src/activities/hosts/why-no-host.js';
import { createOffers } from '../../../src/activities/step/offers.js';

const NOW = Date.parse('2026-01-01T12:00:00Z');
const MINUTE = 60_000;
const ago = (ms: number): string => new Date(NOW - ms).toISOString();

const host = (
  name: string,
  declinedFor: number | null,
  more: { draining?: boolean; silentFor?: number } = {},
) => ({
  ...{ id: name, name, draining: more.draining ?? false, at: ago(more.silentFor ?? 0) },
  declined:
    declinedFor === null
      ? []
      : [{ what: 'notes codex/m', reason: 'not installed', since: ago(declinedFor), at: ago(0) }],
});
const why = (...hosts: ReturnType<typeof host>[]) => whyNoHost('notes codex/m', hosts, NOW, 10 * MINUTE);

describe('a cell that hosts decline', () => {
  it('is given up once all of them have declined it for a long time', () => {
    expect(why(host('a', 11 * MINUTE), host('b', 12 * MINUTE))).toBe(
      'no host can run it (a: not installed; b: not installed); run `llm-tool-test workers` to see the hosts',
    );
  });

  it('waits for a host that declined it only now, or that is full and has declined nothing', () => {
    expect(why(host('a', 11 * MINUTE), host('b', MINUTE))).toBeNull();
    expect(why(host('a', 11 * MINUTE), host('b', null))).toBeNull();
    expect(whyNoHost('another cell', [host('a', 11 * MINUTE)], NOW, 10 * MINUTE)).toBeNull();
  });

  it('does not wait for hosts that drain or have been silent for long, and waits if there is no other', () => {
    const gone = host('b', null, { silentFor: 11 * MINUTE });
    const draining = host('c', null, { draining: true });
    expect(why(host('a', 11 * MINUTE), gone, draining)).toContain('a: not installed');
    expect(why(gone, draining)).toBeNull();
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

  it('are at most 20', () => {
    const offers = createOffers(() => NOW);
    for (let index = 0; index < 30; index++) offers.decline(`cell ${index}`, 'no');
    expect(offers.declined().map(({ what }) => what)).toEqual(
      Array.from({ length: 20 }, (_, index) => `cell ${index + 10}`),
    );
  });
});
