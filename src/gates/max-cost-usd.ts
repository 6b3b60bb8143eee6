import { z } from 'zod';
import { checkTrajectory } from './check-trajectory.js';
import { commonFields } from './fields.js';
import { defineGate } from './gate.js';
import { broken, fail, pass } from './verdicts.js';

export const maxCostUsd = defineGate({
  schema: z
    .strictObject({
      type: z.literal('max_cost_usd'),
      ...commonFields,
      max: z.number().min(0).describe('US dollars that the agent may cost'),
    })
    .describe('The agent cost no more US dollars than that'),
  subject: (spec) => `$${spec.max}`,
  check: ({ max }, context) =>
    checkTrajectory(context, ({ costUsd, tokens, costAtLeastUsd: atLeast }) => {
      if (costUsd === null && atLeast !== undefined) {
        const said = `the agent was interrupted, and cost at least $${atLeast}, at most $${max} expected`;
        return atLeast > max ? fail(said) : broken(`${said}; the rest is not known`);
      }
      if (costUsd === null) {
        const counted = Object.values(tokens).some((count) => count !== null);
        return broken(
          `the cost is not known: ${
            counted
              ? 'the agent reports none, and its tokens have no price; write [prices."MODEL"] in the config'
              : 'the agent reports neither cost nor tokens'
          }`,
        );
      }
      const said = `the agent cost $${costUsd}, at most $${max} expected`;
      return costUsd <= max ? pass(said) : fail(said);
    }),
});
