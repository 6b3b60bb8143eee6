import { z } from 'zod';
import { Regression } from '../regressions.js';
import { Usd } from './quantities.js';
import { KeptText } from './redact-fields.js';

export const Outcome = z.enum(['pass', 'fail', 'error', 'cancelled']);
export type Outcome = z.infer<typeof Outcome>;

/** The run whose work a regraded run has checked. Agent cost and duration of the regraded run are those of the work. */
const RegradedFrom = z.object({
  run: KeptText.describe('Id of the run whose work was checked'),
  outcome: Outcome.nullable().describe('Its outcome; null: unknown'),
  paid_usd: Usd.nullable().describe('What checking it cost, in US dollars; null: unknown'),
});

/**
 * The facts of a run that run.json, its line in results.jsonl and its cell in documents about sweeps share. A fact that
 * is added here arrives in all of them (specs/contributing/adding-a-fact.md).
 */
export const RunFacts = z.object({
  duration_secs: z.number().nullable().describe('Without writing the report; null: the run was lost or has not ended'),
  starts: z.int().nullable().describe('Starts of the agent in all; null: unknown'),
  unchecked: z
    .literal(true)
    .exactOptional()
    .describe(
      'Set if nothing was checked, because the scenario has neither gates nor a judge: the run counts in no rate',
    ),
  regressions: z.array(Regression).describe('What is worse than in all earlier runs that it is compared with'),
  regraded_from: RegradedFrom.exactOptional().describe('Set if the work of an earlier run was checked again'),
});
export type RunFacts = z.infer<typeof RunFacts>;

/** The facts of a cell without a run. */
export const NO_FACTS: RunFacts = { duration_secs: null, starts: null, regressions: [] };

/** Picks the facts of a run from a record that has more. */
export function runFactsOf(record: RunFacts): RunFacts {
  const facts: Record<string, unknown> = {};
  for (const name of NAMES) if (name in record) facts[name] = record[name];
  return facts as RunFacts;
}

const NAMES = Object.keys(RunFacts.shape) as (keyof RunFacts)[];
