import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createPricer, sumOfCosts } from '../../src/model/cost.js';
import { Count } from '../../src/model/records/quantities.js';
import { recordedUsage, createUsageMeter } from '../../src/model/transcript/usage-meter.js';
import { AgentRecord } from '../../src/model/records/run-record.js';
import { totalTokens } from '../../src/model/records/token-usage.js';
import type { EventBody } from '../../src/model/records/events.js';

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
const UsageOfRecord = AgentRecord.pick({
  token_usage: true,
  token_usage_at_least: true,
  cost_usd: true,
  cost_usd_at_least: true,
  cost_source: true,
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
    expect(pricer(usage({ input: 1, output: 0, cache_write: 1 }), ['mine', 'claude-opus-5'])).toBeNull();
  });
  test('comes from the public list for a model in it, with cached tokens counted once', async () => {
    const pricer = await createPricer({});
    const plain = pricer(usage({ input: 100_000, output: 0 }), ['claude-sonnet-4-5']);
    const cached = pricer(usage({ input: 0, output: 0, cache_read: 100_000 }), ['claude-sonnet-4-5']);
    expect(plain).toEqual({ usd: 0.3, source: 'list' });
    expect(cached?.usd).toBeCloseTo(0.03);
    expect(pricer(usage({ input: 100_000, output: 0 }), ['anthropic/claude-sonnet-4-5'])).toEqual(plain);
  });
  test.each(['default', 'no-such-model', 'no/such/model', ''])('is unknown for the model %j', async (model) => {
    const pricer = await createPricer({});
    expect(pricer(usage({ input: 1, output: 1 }), [model])).toBeNull();
  });
  test('is unknown for unknown tokens', async () => {
    const pricer = await createPricer({ mine: price });
    expect(pricer(usage(), ['mine'])).toBeNull();
    // A price of the rest alone would pass for the whole price.
    expect(pricer(usage({ input: 5 }), ['mine'])).toBeNull();
    expect(pricer(usage({ output: 5 }), ['mine'])).toBeNull();
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
      tokensAreBound: true, // the output of the first event is unknown
      costUsd: 0.3,
      costSource: 'reported',
    });
  });
  test('takes tokens for all of them if each event has them, whatever reports of costs alone say', async () => {
    const meter = createUsageMeter('default', await createPricer({}));
    meter.add(usage({ input: 10, output: 1 }));
    meter.add(usage({ cost_usd: 0.1 }));
    meter.add(usage({ input: 5, output: 0, cache_read: 3 }));
    expect(meter.read()).toEqual({
      tokens: { input: 15, output: 1, reasoning: null, cache_read: 3, cache_write: null },
      costUsd: null,
      costAtLeastUsd: 0.1,
      costSource: null,
    });
  });
  test('has only a lower bound after usage of which nothing is known', async () => {
    const meter = createUsageMeter('mine', await createPricer({ mine: price }));
    meter.add(usage({ input: 1_000_000, output: 0 }));
    meter.add(usage());
    expect(meter.read()).toMatchObject({ tokensAreBound: true, costUsd: null, costAtLeastUsd: 3 });
  });
  test('never leaves the range of numbers that can be stored, whatever is added', async () => {
    const count = fc.oneof(fc.maxSafeNat(), fc.constant(null), fc.constant(Number.MAX_SAFE_INTEGER));
    const usd = fc.oneof(fc.double({ min: 0, max: Number.MAX_SAFE_INTEGER, noNaN: true }), fc.constant(null));
    const pricer = await createPricer({ mine: { ...price, output_per_mtok: Number.MAX_SAFE_INTEGER } });
    const events = fc.array(
      fc.record({
        input: count,
        output: count,
        reasoning: count,
        cache_read: count,
        cache_write: count,
        cost_usd: usd,
      }),
    );
    fc.assert(
      fc.property(events, fc.boolean(), (added, complete) => {
        const meter = createUsageMeter('mine', pricer);
        for (const event of added) meter.add(usage(event));
        const recorded = recordedUsage(meter.read(), complete);
        const stored = UsageOfRecord.parse(JSON.parse(JSON.stringify(recorded)));
        expect(stored).toEqual(recorded);
        const total = totalTokens(recorded.token_usage);
        expect(Count.nullable().safeParse(total).success).toBe(true);
      }),
    );
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
