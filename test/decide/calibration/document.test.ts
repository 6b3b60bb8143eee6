import { expect, test } from 'vitest';
import { calibrateGates } from '../../../src/decide/calibration/calibrate-gates.js';
import { calibrationFields } from '../../../src/decide/calibration/document.js';

test('a document says nothing of judges and gates if no model has judged, and has each that did', () => {
  expect(calibrationFields({ judges: [], gates: [] })).toEqual({});
  const gate = { index: 0, gate_type: 'llm_judge', name: null, subject: 'It is polite.', passed: true };
  const gates = calibrateGates([{ scenario: 'notes', judge: 'house/small', gate, human: null }], []);
  expect(gates).toHaveLength(1);
  expect(calibrationFields({ judges: [], gates })).toEqual({ gate_calibration: gates });
});
