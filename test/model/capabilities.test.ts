import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { combineTurns } from '../../src/activities/report/collect-conversation.js';
import type { GateDetail } from '../../src/model/records/result-line.js';
import { capabilitiesIn, capabilityRates } from '../../src/model/capabilities.js';

const checked = (status: GateDetail['status'], achieved: boolean): GateDetail => ({
  index: 0,
  gate_type: 'llm_judge',
  name: null,
  subject: '',
  status,
  passed: status === 'pass',
  message: '',
  duration_ms: 1,
  detail: { capability_checklist: [{ capability: 'polite', achieved, reasoning: '' }] },
});

const checklist = [{ capability: 'polite', achieved: true, reasoning: 'says please' }];

describe('capabilities', () => {
  test('are read from the checklists of gates that could be checked', () => {
    const detail = { capability_checklist: checklist, confidence: 0.9 };
    expect(
      capabilitiesIn([
        { status: 'pass', detail },
        { status: 'fail', detail },
        { status: 'error', detail },
        { status: 'pass', detail: null },
        { status: 'pass', detail: { capability_checklist: 'none' } },
      ]),
    ).toEqual([
      { capability: 'polite', achieved: true },
      { capability: 'polite', achieved: true },
    ]);
  });
  test('are read from each turn after which a gate was checked', () => {
    const detail = (...achieved: boolean[]) =>
      combineTurns(achieved.map((one, at) => ({ turn: at + 1, detail: checked('pass', one) })))?.detail ?? null;
    expect(capabilitiesIn([{ status: 'pass', detail: detail(true, false) }])).toEqual([
      { capability: 'polite', achieved: true },
      { capability: 'polite', achieved: false },
    ]);
    const partly = combineTurns([
      { turn: 1, detail: checked('fail', false) },
      { turn: 2, detail: checked('error', true) },
    ]);
    expect(partly).toMatchObject({ status: 'error' });
    expect(capabilitiesIn(partly === null ? [] : [partly])).toEqual([{ capability: 'polite', achieved: false }]);
  });
  test('are counted so that the numbers add up, in any order', () => {
    const some = fc.array(fc.record({ capability: fc.constantFrom('a', 'b', 'c'), achieved: fc.boolean() }));
    fc.assert(
      fc.property(some, (checked) => {
        const rates = capabilityRates(checked);
        expect(rates.reduce((sum, one) => sum + one.checked, 0)).toBe(checked.length);
        expect(rates.reduce((sum, one) => sum + one.achieved, 0)).toBe(
          checked.filter(({ achieved }) => achieved).length,
        );
        expect(new Set(capabilityRates([...checked].reverse()).map((one) => JSON.stringify(one)))).toEqual(
          new Set(rates.map((one) => JSON.stringify(one))),
        );
        for (const { rate } of rates) expect(rate >= 0 && rate <= 1).toBe(true);
      }),
    );
  });
});
