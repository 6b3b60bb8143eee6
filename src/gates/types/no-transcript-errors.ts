import { z } from 'zod';
import { UNREAD } from '../check-trajectory.js';
import { commonFields } from '../fields.js';
import { defineGate } from '../gate.js';
import { broken, countOf, fail, pass, quote } from '../verdicts.js';

/** Lists the first failed calls. */
function named(lines: readonly string[], failed: number): string {
  if (lines.length === 0) return '';
  const more = failed > lines.length ? `, and ${failed - lines.length} more` : '';
  return `: ${lines.map(quote).join(', ')}${more}`;
}

export const noTranscriptErrors = defineGate({
  schema: z
    .strictObject({ type: z.literal('no_transcript_errors'), ...commonFields })
    .describe('The transcript shows no failed call of the target'),
  subject: () => 'transcript',
  check: async (_spec, context) => {
    const efficiency = await context.efficiency();
    const trajectory = await context.trajectory();
    if (efficiency === null)
      return broken(
        trajectory?.unread === true ? `the calls are unknown: ${UNREAD}` : 'there is no transcript',
      );
    const { error_count: failed, total_commands: total } = efficiency;
    return failed === 0
      ? pass(`none of ${countOf(total, 'command')} failed`)
      : fail(`${failed} of ${countOf(total, 'command')} failed${named(trajectory?.failed ?? [], failed)}`);
  },
});
