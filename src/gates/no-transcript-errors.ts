import { z } from 'zod';
import { commonFields } from './fields.js';
import { defineGate } from './gate.js';
import { countOf, fail, pass } from './verdicts.js';

export const noTranscriptErrors = defineGate({
  schema: z
    .strictObject({ type: z.literal('no_transcript_errors'), ...commonFields })
    .describe('No call of the target in the transcript failed'),
  subject: () => 'transcript',
  check: async (_spec, context) => {
    const efficiency = await context.efficiency();
    if (efficiency === null) return fail('there is no transcript');
    const { error_count: failed, total_commands: total } = efficiency;
    return failed === 0
      ? pass(`none of ${countOf(total, 'command')} failed`)
      : fail(`${failed} of ${countOf(total, 'command')} failed`);
  },
});
