import { describe, expect, test } from 'vitest';
import { addedTokens, type MeasuredCell } from '../../src/decide/comparison/compared-subjects.js';

const cell = (variant: string, tokens: number | null | undefined, change: Partial<MeasuredCell> = {}) => ({
  scenario: 's',
  agent: 'codex',
  model: 'm',
  variant,
  outcome: 'pass' as const,
  metrics: {
    agent_work: {
      tokens: null,
      tool_calls: null,
      actions: null,
      ...(tokens === undefined ? {} : { first_request_tokens: tokens }),
    },
  },
  ...change,
});
/** `without`: the variant that is the same without the subject. */
const variant = (name: string, without?: string) => ({
  name: 's',
  variant: name,
  ...(without === undefined ? {} : { subject: { parts: ['skill pdf'], without } }),
});

describe('what subjects add in a sweep', () => {
  test('is the difference between a variant with a subject and the one without', () => {
    const variants = [variant('with', 'without'), variant('without')];
    const cells = [cell('with', 150), cell('without', 100), cell('without', 104)];
    expect(addedTokens(variants, cells)).toMatchObject([
      {
        agent: 'codex',
        model: 'm',
        added: ['skill pdf'],
        removed: [],
        difference: 48,
        scenarios: [{ variant: 'with', base: { runs: 2 }, head: { runs: 1 } }],
      },
    ]);
  });

  test('is compared with the own baseline of each variant', () => {
    const variants = [
      ...[variant('old', 'old-without'), variant('old-without')],
      ...[variant('new', 'new-without'), variant('new-without')],
    ];
    const cells = [cell('old', 120), cell('old-without', 100), cell('new', 230), cell('new-without', 200)];
    const [found] = addedTokens(variants, cells);
    expect(found?.scenarios.map(({ variant: name, difference }) => [name, difference])).toEqual([
      ['new', 30],
      ['old', 20],
    ]);
  });

  test('leaves out results without a first request, and runs that were not tested', () => {
    const variants = [variant('with', 'without'), variant('without')];
    const old = [cell('with', undefined), cell('without', undefined), cell('with', 1, { metrics: null })];
    expect(addedTokens(variants, old)).toEqual([]);
    const broken = cell('without', 90, { outcome: 'error' });
    expect(addedTokens(variants, [cell('with', 150), broken])).toMatchObject([{ difference: null }]);
  });
});
