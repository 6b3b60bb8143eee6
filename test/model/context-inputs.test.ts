import { describe, expect, test } from 'vitest';
import type { Json } from '../../src/lib/json.js';
import { contextInputs } from '../../src/model/subject-tokens.js';

const stored = (change: Record<string, Json> = {}, scenario: Record<string, Json> = {}): Json => ({
  schema_version: 2,
  fixture: 'f1',
  target: null,
  ...change,
  scenario: { name: 's', steps: [{ kind: 'agent', prompt: 'do it' }], ...scenario },
});
const plain = contextInputs(stored());

describe('what may change the first request besides the subject', () => {
  test.each<[string, Json]>([
    ['the subject', stored({ subject: [{ kind: 'instructions', text: 'x' }] }, { subject: [{}], baseline: true })],
    ['checks', stored({ checks: 'c1' }, { checks: { gates: [{ type: 'skill_used' }] }, judgment: {} })],
    ['gates of a step', stored({}, { steps: [{ kind: 'agent', prompt: 'do it', gates: [], turn_gates: [] }] })],
    ['the judge', stored({ judge: { model: 'm' }, asked: { model: 'm' } })],
    ['how often it runs', stored({}, { repeat: 3, tags: ['x'], agents: [], cost: { cache: false } })],
  ])('does not include %s', (_, other) => {
    expect(contextInputs(other)).toBe(plain);
  });

  test.each<[string, Json]>([
    ['the prompt', stored({}, { steps: [{ kind: 'agent', prompt: 'do more' }] })],
    ['a script before the agent', stored({}, { steps: [{ kind: 'script' }, { kind: 'agent', prompt: 'do it' }] })],
    ['the fixture', stored({ fixture: 'f2' })],
    ['the environment', stored({}, { environment: { type: 'docker' } })],
    ['anything unknown', stored({ new_field: 1 })],
  ])('includes %s', (_, other) => {
    expect(contextInputs(other)).not.toBe(plain);
  });
});
