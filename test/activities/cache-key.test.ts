import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cacheKeyOf, type AgentParts, type CheckParts } from '../../src/activities/prepare/cache-key.js';

const text = fc.string({ maxLength: 6 });
const maybe = fc.option(text, { nil: null });
type CacheParts = AgentParts & CheckParts;
const pairs = fc.array(fc.tuple(text, text), { maxLength: 3 });

/** Every part on its own; a new part that is missing here does not compile. */
const PARTS: { [K in keyof CacheParts]: fc.Arbitrary<CacheParts[K]> } = {
  build: text,
  inputs: text,
  checkFiles: pairs,
  asked: fc.option(fc.tuple(maybe, fc.oneof(text, fc.dictionary(text, text))), { nil: null }),
  scenario: text,
  live: fc.boolean(),
  environment: text,
  agent: text,
  model: text,
  variant: text,
  repetition: fc.integer({ min: 1, max: 50 }),
  agentSettings: fc.option(fc.dictionary(text, text), { nil: null }),
  agentEnv: fc.array(fc.tuple(text, maybe), { maxLength: 3 }),
  targetEnv: fc.dictionary(text, text),
  servers: fc.array(text, { maxLength: 2 }),
  locale: pairs,
  agentVersion: maybe,
  program: maybe,
  files: pairs,
  target: maybe,
  servedAt: maybe,
  judgedAt: maybe,
  judgedBy: fc.oneof(text, fc.dictionary(text, text)),
  health: fc.option(fc.array(fc.oneof(fc.integer(), text), { maxLength: 3 }), { nil: null }),
};
const parts = fc.record(PARTS) as fc.Arbitrary<CacheParts>;

test.each(Object.keys(PARTS) as (keyof CacheParts)[])('another value of %s gives another key', (name) => {
  fc.assert(
    fc.property(parts, PARTS[name] as fc.Arbitrary<unknown>, (one, value) => {
      fc.pre(JSON.stringify(one[name]) !== JSON.stringify(value));
      expect(cacheKeyOf({ ...one, [name]: value })).not.toBe(cacheKeyOf(one));
    }),
  );
});

test('the same parts give the same key', () => {
  fc.assert(
    fc.property(parts, (one) => {
      expect(cacheKeyOf(JSON.parse(JSON.stringify(one)) as CacheParts)).toBe(cacheKeyOf(one));
    }),
  );
});
