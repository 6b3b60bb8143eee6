import { gateSubject } from '#gates';
import type { GateDetail } from '#model';
import type { PlacedGate } from '#scenario';

/** The result of a gate that could not be checked. */
export const brokenGate = (
  { gate }: Pick<PlacedGate, 'gate'>,
  index: number,
  message: string,
): GateDetail => ({
  ...{ index, gate_type: gate.type, name: gate.name ?? null, subject: gateSubject(gate) },
  ...{ status: 'error', passed: false, detail: null, duration_ms: 0, message },
});
