import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createPricer, sumOfCosts } from '../../src/results/cost.js';
import type { EventBody } from '../../src/results/records/events.js';
import { createUsageMeter } from '../../src/results/transcript/usage-meter.js';

const usage = (more: Partial<Extract<EventBody, { type: 'usage' }>> = {}) => ({
  type: 'usage' as const,
  input: null,
  output: null,
  reasoning: null,
  cache_read: null,
  cache_write: null,
  cost_usd: null,
  ...more,
});
const session = (model: string): EventBody => ({
  type: 'session',
  session_id: null,
  model_requested: null,
  model_used: model,
});
const price = { input_per_mtok: 3, output_per_mtok: 15, cache_read_per_mtok: 0.3 };

describe('the price of tokens', () => {
  test('comes from the config if that names the model', async () => {
    const pricer = await createPricer({ mine: price });
    const tokens = usage({ input: 1_000_000, output: 100_000, reasoning: 100_000, cache_read: 1_000_000 });
    expect(pricer(tokens, ['mine'])).toEqual({ usd: 3 + 3 + 0.3, source: 'config' });
  });
  test('is unknown if the config lacks a price for a kind of token that was used', async () => {
    const pricer = await createPricer({ mine: price });
    expect(pricer(usage({ input: 1, cache_write: 1 }), ['mine', 'claude-opus-5'])).toBeNull();
  });
  test('comes from the public list for a model in it, with cached tokens counted once', async () => {
    const pricer = await createPricer({});
    const plain = pricer(usage({ input: 100_000, output: 0 }), ['claude-sonnet-4-5']);
    const cached = pricer(usage({ input: 0, output: 0, cache_read: 100_000 }), ['claude-sonnet-4-5']);
    expect(plain).toEqual({ usd: 0.3, source: 'list' });
    expect(cached?.usd).toBeCloseTo(0.03);
    expect(pricer(usage({ input: 100_000, output: 0 }), ['anthropic/claude-sonnet-4-5'])).toEqual(plain);
  });
  test.each(['default', 'no-such-model', 'no/such/model', ''])(
    'is unknown for the model %j',
    async (model) => {
      const pricer = await createPricer({});
      expect(pricer(usage({ input: 1, output: 1 }), [model])).toBeNull();
    },
  );
  test('is unknown for unknown tokens', async () => {
    expect((await createPricer({ mine: price }))(usage(), ['mine'])).toBeNull();
  });
});

describe('a usage meter', () => {
  test('knows that a free agent has cost nothing, unless it has used something without a price', async () => {
    const pricer = await createPricer({});
    expect(createUsageMeter('default', pricer).read().costUsd).toBeNull();
    const meter = createUsageMeter('default', pricer, { free: true });
    expect(meter.read()).toMatchObject({ costUsd: 0, costSource: null });
    meter.add(usage({ cost_usd: 0.5 }));
    expect(meter.read()).toMatchObject({ costUsd: 0.5, costSource: 'reported' });
    meter.add(usage({ input: 3 }));
    expect(meter.read().costUsd).toBeNull();
  });
  test('adds up tokens, and the costs that the agent reports', async () => {
    const meter = createUsageMeter('default', await createPricer({}));
    meter.add(usage({ input: 10, cost_usd: 0.1 }));
    meter.add(usage({ input: 5, output: 1, cost_usd: 0.2 }));
    expect(meter.read()).toEqual({
      tokens: { input: 15, output: 1, reasoning: null, cache_read: null, cache_write: null },
      costUsd: 0.3,
      costSource: 'reported',
    });
  });
  test('prices the model that was used, not the one that was requested', async () => {
    const meter = createUsageMeter(
      'asked',
      await createPricer({ asked: price, used: { ...price, input_per_mtok: 1 } }),
    );
    meter.add(session('used'));
    meter.add(usage({ input: 1_000_000, output: 0 }));
    expect(meter.read()).toMatchObject({ costUsd: 1, costSource: 'config' });
  });
  test('gives no cost if a part of it is unknown or nothing was reported', async () => {
    const meter = createUsageMeter('default', await createPricer({}));
    expect(meter.read()).toMatchObject({ costUsd: null, costSource: null });
    meter.add(usage({ cost_usd: 0.1 }));
    meter.add(usage({ input: 1, output: 1 }));
    expect(meter.read()).toMatchObject({ costUsd: null, costSource: null });
  });
  test('gives the same sum in any order', async () => {
    const pricer = await createPricer({ mine: price });
    const tokens = fc.record({ input: fc.nat(), output: fc.nat() });
    fc.assert(
      fc.property(fc.array(tokens), (events) => {
        const [forward, backward] = [createUsageMeter('mine', pricer), createUsageMeter('mine', pricer)];
        for (const event of events) forward.add(usage(event));
        for (const event of events.toReversed()) backward.add(usage(event));
        expect(forward.read().tokens).toEqual(backward.read().tokens);
        expect(forward.read().costUsd ?? -1).toBeCloseTo(backward.read().costUsd ?? -1, 6);
      }),
    );
  });
});

test('a sum with an unknown part is unknown', () => {
  expect(sumOfCosts([0.1, 0.2])).toBe(0.3);
  expect(sumOfCosts([0.1, null])).toBeNull();
  expect(sumOfCosts([])).toBe(0);
});
