import { z } from 'zod';
import { checkTrajectory } from '../check-trajectory.js';
import { commonFields } from '../fields.js';
import { defineGate } from '../gate.js';
import { broken, fail, pass } from '../verdicts.js';

export const maxCostUsd = defineGate({
  schema: z
    .strictObject({
      type: z.literal('max_cost_usd'),
      ...commonFields,
      max: z.number().min(0).describe('US dollars that the agent may cost'),
    })
    .describe('The agent cost at most `max` US dollars, without the judge'),
  subject: (spec) => `$${spec.max}`,
  check: ({ max }, context) =>
    checkTrajectory(context, ({ costUsd, tokens, costAtLeastUsd: atLeast }) => {
      if (costUsd === null && atLeast !== undefined) {
        const evidence = `the agent cost at least $${atLeast}; expected at most $${max}`;
        return atLeast > max ? fail(evidence) : broken(`${evidence}; the rest is unknown`);
      }
      if (costUsd === null) {
        const counted = Object.values(tokens).some((count) => count !== null);
        return broken(
          `the cost is unknown: ${
            counted
              ? 'the agent reports none, and its tokens have no price; add [prices."MODEL"] to the config file'
              : 'the agent reports neither cost nor tokens'
          }`,
        );
      }
      const evidence = `the agent cost $${costUsd}; expected at most $${max}`;
      return costUsd <= max ? pass(evidence) : fail(evidence);
    }),
});
