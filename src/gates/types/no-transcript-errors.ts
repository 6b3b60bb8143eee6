import { z } from 'zod';
import { counted } from '#lib';
import { unseenCallsReason } from '../check-trajectory.js';
import { commonFields } from '../fields.js';
import { defineGate } from '../gate.js';
import { broken, fail, pass, quotedText } from '../verdicts.js';

/** Lists the first failed calls. */
function named(lines: readonly string[], failed: number): string {
  if (lines.length === 0) return '';
  const more = failed > lines.length ? `, and ${failed - lines.length} more` : '';
  return `: ${lines.map(quotedText).join(', ')}${more}`;
}

export const noTranscriptErrors = defineGate({
  schema: z
    .strictObject({ type: z.literal('no_transcript_errors'), ...commonFields })
    .describe('The transcript shows no failed call of the target'),
  subject: () => 'transcript',
  check: async (_spec, context) => {
    const efficiency = await context.efficiency();
    const trajectory = await context.trajectory();
    const unseen = trajectory === null ? null : unseenCallsReason(trajectory);
    if (efficiency === null)
      return broken(unseen === null ? 'there is no transcript' : `the calls are unknown: ${unseen}`);
    const { error_count: failed, total_commands: total } = efficiency;
    const found = counted(total, 'command');
    if (failed > 0) return fail(`${failed} of ${found} failed${named(trajectory?.failed ?? [], failed)}`);
    if (trajectory?.structured === false && total === 0)
      return broken('the agent printed only text, which shows no call of the target');
    const evidence = `none of ${found} failed`;
    const why = trajectory?.unseen?.results ?? (trajectory?.structured === true ? unseen : null);
    return why === null ? pass(evidence) : broken(`${evidence} as far as is known; ${why}`);
  },
});
