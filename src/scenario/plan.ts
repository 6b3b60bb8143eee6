import { z } from 'zod';
import { DEFAULT_VARIANT } from '../results/records/cell-label.js';
import { Cell } from '../results/records/cell.js';
import { Price } from '../results/cost.js';
import { SCHEMA_VERSION } from '../results/records/result-line.js';
import { AgentTable, Provider } from './config.js';
import { Rubric } from './rubric.js';
import { Scenario } from './scenario.js';
import { Target } from './target.js';

/** The judge as it is asked, with the content of its rubric. */
export const JudgeSettings = z.object({
  /** `provider/model` or `agent:<agent>/<model>`: by flag, scenario or config. */
  model: z.string(),
  rubric: Rubric,
  /** As the scenario names it. */
  rubric_file: z.string(),
  pass_threshold: z.number(),
  always: z.boolean(),
  timeout_secs: z.number(),
  /** Absent in what older builds stored. */
  votes: z.number().int().default(1),
});
export type JudgeSettings = z.infer<typeof JudgeSettings>;

/** A scenario as it is run: flags and config are merged into it. `<store>/<hash>/scenario.json`, beside its file. */
export const EffectiveScenario = z.object({
  schema_version: z.literal(2),
  scenario: Scenario,
  target: Target,
  /** Where the target binary is, when it is not to be looked for on PATH or in the fixture; absolute. */
  target_path: z.string().nullable(),
  /** What is declared to be all of the target besides its program; absolute. Absent where nothing is. */
  target_files: z.array(z.string()).optional(),
  /** Hash of the fixture's snapshot in the store. */
  fixture: z.string(),
  /** null where the scenario has no judge, or it was left out (`--no-judge`). */
  judge: JudgeSettings.nullable(),
});
export type EffectiveScenario = z.infer<typeof EffectiveScenario>;

/** sweeps/<sweep>/plan.json: all that workers need, made once by the command line. No values of variables are in it. */
export const Plan = z.object({
  schema_version: z.literal(SCHEMA_VERSION),
  sweep: z.string(),
  created_at: z.string(),
  concurrency: z.number().int(),
  /** Each in each of its variants. */
  scenarios: z.array(
    z.object({
      name: z.string(),
      /** Absent in what older builds stored. */
      variant: z.string().default(DEFAULT_VARIANT),
      file: z.string(),
      hash: z.string(),
    }),
  ),
  agents: z.record(z.string(), AgentTable),
  /** The config's providers that agents and judges need. */
  providers: z.record(z.string(), Provider).default({}),
  /** Whether finished runs of the same inputs may be reused. */
  cache: z.boolean().default(true),
  /** Cells at once of an agent and of a model, besides `concurrency`. */
  caps: z
    .object({ agents: z.record(z.string(), z.number()), models: z.record(z.string(), z.number()) })
    .default({ agents: {}, models: {} }),
  /** US dollars that the sweep may cost; null where nobody set a limit. */
  max_usd: z.number().nullable().default(null),
  /** The config's prices, by model. */
  prices: z.record(z.string(), Price).default({}),
  cells: z.array(Cell),
  /** Folder of the config file; null where there is none. A sandbox hides it, but for the programs in it. */
  project: z.string().nullable().default(null),
  /** What the config says of sandboxes; absent in what older builds stored. */
  sandbox: z.object({ required: z.boolean(), allow_loopback: z.array(z.number().int()) }).exactOptional(),
  /** Files and folders that a sandbox hides altogether: what the scenarios were read from. */
  hidden: z.array(z.string()).default([]),
});
export type Plan = z.infer<typeof Plan>;

/** The scenario that a cell is a run of, in its variant; undefined where the plan has none. */
export const scenarioOf = (
  { scenarios }: Pick<Plan, 'scenarios'>,
  cell: Pick<Cell, 'scenario' | 'variant'>,
): Plan['scenarios'][number] | undefined =>
  scenarios.find(({ name, variant }) => name === cell.scenario && variant === cell.variant);
