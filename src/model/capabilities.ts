import { z } from 'zod';
import { GateDetail } from './records/result-line.js';

/** The rate at which the agent showed a capability, as the model that judged the runs says. */
export const CapabilityRate = z.object({
  capability: z.string().describe('As the gate `llm_judge` names it'),
  achieved: z.int().describe('How often it was achieved'),
  checked: z.int().describe('How often it was checked'),
  rate: z.number().describe('achieved / checked'),
});
export type CapabilityRate = z.infer<typeof CapabilityRate>;

/** The part of a gate's detail that is read here. */
const Detail = z.object({
  capability_checklist: z.array(z.object({ capability: z.string(), achieved: z.boolean() })),
});

/** The part of the detail of a gate that is checked after every turn: what it found after each. */
const DetailOfTurns = z.array(z.object({ turn: z.int(), status: GateDetail.shape.status, detail: z.json() }));

/** One capability, checked once. */
type CheckedCapability = z.infer<typeof Detail>['capability_checklist'][number];

/**
 * Returns the capabilities that the gates of a run have checked, once for each turn. A check that could not be made
 * says nothing of them.
 */
export const capabilitiesIn = (gates: readonly Pick<GateDetail, 'status' | 'detail'>[]): CheckedCapability[] =>
  gates.flatMap(({ status, detail }) => {
    const turns = DetailOfTurns.safeParse(detail);
    if (turns.success) return turns.data.flatMap(checkedIn);
    return checkedIn({ status, detail });
  });

function checkedIn({ status, detail }: Pick<GateDetail, 'status' | 'detail'>): CheckedCapability[] {
  const read = status === 'error' ? null : Detail.safeParse(detail);
  return read?.success === true ? read.data.capability_checklist : [];
}

/** Counts how often each capability was achieved, in the order in which they first appear. */
export function capabilityRates(checked: readonly CheckedCapability[]): CapabilityRate[] {
  const found = new Map<string, Omit<CapabilityRate, 'rate'>>();
  for (const { capability, achieved } of checked) {
    const before = found.get(capability) ?? { capability, achieved: 0, checked: 0 };
    found.set(capability, {
      capability,
      achieved: before.achieved + (achieved ? 1 : 0),
      checked: before.checked + 1,
    });
  }
  return [...found.values()].map((one) => ({ ...one, rate: one.achieved / one.checked }));
}
