import { FAIL_ON, OVERLAPS, UntilClear } from '#decide';
import { Rubric } from '#gates';
import { isCronTime, parseCron, schemaVersion } from '#lib';
import { Cell, Price, SCHEMA_VERSION } from '#model';
import { StoredSubject } from '#subjects';
import { z } from 'zod';
import { AgentTable } from './agent-table.js';
import { Provider } from './config.js';
import { Scenario } from './scenario.js';
import { Target } from './target.js';

/** The settings of the judge, with the content of its rubric. */
export const JudgeSettings = z.object({
  /** `provider/model` or `agent:<agent>/<model>`, from a flag, the scenario or the config. */
  model: z.string(),
  rubric: Rubric,
  /** The rubric's path, as written in the scenario. */
  rubric_file: z.string(),
  pass_threshold: z.number(),
  always: z.boolean(),
  timeout_secs: z.number(),
  votes: z.int(),
});
export type JudgeSettings = z.infer<typeof JudgeSettings>;

/**
 * A scenario as it is run, with flags and config merged into it. Stored as `<store>/<hash>/scenario.json`, next to the
 * scenario's file.
 */
export const EffectiveScenario = z.object({
  schema_version: schemaVersion(2),
  scenario: Scenario,
  /** Null if the scenario has no program under test. */
  target: Target.nullable(),
  /** Absolute path of the target binary. Null if it is looked up on PATH or in the fixture. */
  target_path: z.string().nullable(),
  /** Hash of the snapshot of the target's program, which hosts get from the store in place of `target_path`. */
  target_stored: z.string().exactOptional(),
  /** Absolute paths of `target.files`: all of the target besides its program. Absent if not declared. */
  target_files: z.array(z.string()).optional(),
  /** Where agents in the agent host find what they consist of. Absent if none of them takes part. */
  host: z
    .object({
      /** Folder of the scenario file. */
      folder: z.string(),
      /** Absolute paths of the packages and files. */
      reads: z.array(z.string()),
      /** Names of the variables that plugins of the ElizaOS runtime may read. Absent if there are none. */
      settings: z.array(z.string()).exactOptional(),
    })
    .exactOptional(),
  /** The subject with the contents of its files. Absent if the scenario has none. */
  subject: z.array(StoredSubject).exactOptional(),
  /** Hash of the fixture's snapshot in the store, which is an empty folder if the scenario has no fixture. */
  fixture: z.string(),
  /** Hash of the snapshot of the checks folder in the store. Absent if the scenario has none. */
  checks: z.string().exactOptional(),
  /** Hash of the snapshot of the folder that its image is built of. Absent if none is built. */
  build: z.string().exactOptional(),
  /** The resources that its container asked for where `--clamp` has lowered them; absent if it has not. */
  clamped: z.object({ cpus: z.number().exactOptional(), memory_mb: z.number().exactOptional() }).exactOptional(),
  /** Null if the scenario has no judge, or `--no-judge` was given. */
  judge: JudgeSettings.nullable(),
  /** The model that gates and other parts ask. It is also that of the judge. Absent if none of them asks. */
  asked: z.object({ model: z.string() }).exactOptional(),
});
export type EffectiveScenario = z.infer<typeof EffectiveScenario>;

/** The same before its fixture, its checks and its target are stored. */
export type UnstoredScenario = Omit<EffectiveScenario, 'fixture' | 'checks' | 'build' | 'target_stored'>;

/** The model that parts of the scenario ask, the judge or others; null if none asks. */
export const judgeModelOf = ({ judge, asked }: Pick<EffectiveScenario, 'judge' | 'asked'>): string | null =>
  judge?.model ?? asked?.model ?? null;

/** The runs that a sweep checks again. */
const Regrade = z.object({
  /** The run whose work is checked, by cell. */
  runs: z.record(z.string(), z.string()),
  /**
   * True if a cell is run anew when something has changed that the work of its agent depends on, or when `runs` has
   * none. If false, agents are never started.
   */
  or_run: z.boolean(),
});

/**
 * `sweeps/<sweep>/plan.json`: everything that workers need to run the sweep, written once by the command line.
 * It contains no values of environment variables.
 */
export const Plan = z.object({
  schema_version: schemaVersion(SCHEMA_VERSION),
  sweep: z.string(),
  created_at: z.string(),
  /** To whom the sweep belongs. Absent if nobody was known. */
  owner: z.string().exactOptional(),
  /** The program whose results these are. Absent if they are our own: those of others cannot be continued. */
  imported: z.enum(['inspect']).exactOptional(),
  concurrency: z.int(),
  /** One entry for each variant of each scenario. */
  scenarios: z.array(
    z.object({
      name: z.string(),
      variant: z.string(),
      /** The scenario's file, as shown to people. */
      file: z.string(),
      /** The same as an absolute path. */
      path: z.string(),
      hash: z.string(),
      /** The paths that are not copied of its skills, fixture and checks folder. Absent if there is nothing. */
      left_out: z.array(z.string()).exactOptional(),
      /** The values of a combination, by parameter. Absent if the variant is none. */
      parameters: z.record(z.string(), z.json()).exactOptional(),
      /**
       * The names of the parts of its subject, and the variant that is the same without it. Absent if there is none.
       */
      subject: z.object({ parts: z.array(z.string()), without: z.string() }).exactOptional(),
    }),
  ),
  agents: z.record(z.string(), AgentTable),
  /** The providers of the config that agents and judges use. */
  providers: z.record(z.string(), Provider),
  /** True if finished runs with the same inputs may be reused. */
  cache: z.boolean(),
  /** Set if mocks are ignored (`--live`): the stored scenarios have none. */
  live: z.boolean().exactOptional(),
  /** The most cells of an agent or a model that may run at once, in addition to the limit `concurrency`. */
  caps: z.object({ agents: z.record(z.string(), z.number()), models: z.record(z.string(), z.number()) }),
  /** US dollars that the sweep may cost. Null for no limit. */
  max_usd: z.number().nullable(),
  /** US dollars that the sweeps of its owner may cost in a month, when it was planned. Absent for no limit. */
  month_usd: z.number().exactOptional(),
  /** The config's prices, by model. */
  prices: z.record(z.string(), Price),
  cells: z.array(Cell),
  /**
   * Set if the sweep stops as soon as its verdict is clear. Its cells are released in rounds, and some may not be
   * needed.
   */
  until_clear: UntilClear.exactOptional(),
  /** Labels that a host must have to run a cell. */
  on: z.array(z.string()).exactOptional(),
  /**
   * The protocol of the build that made the plan: hosts with an older one may not know all that it says. Absent if the
   * results are not shared.
   */
  protocol: z.int().exactOptional(),
  /** Set if the sweep checks the work of earlier runs again instead of running agents. */
  regrade: Regrade.exactOptional(),
  /** Folder of the config file; null if there is none. A sandbox hides it, except for the programs in it. */
  project: z.string().nullable(),
  /** The config's settings for sandboxes. */
  sandbox: z.object({ required: z.boolean(), allow_loopback: z.array(z.int()) }),
  /** Files and folders that a sandbox hides completely: the sources of the scenarios. */
  hidden: z.array(z.string()),
});
export type Plan = z.infer<typeof Plan>;

/** The plan's entry for a cell's scenario and variant. Undefined if the plan has none. */
export const scenarioOf = (
  { scenarios }: Pick<Plan, 'scenarios'>,
  cell: Pick<Cell, 'scenario' | 'variant'>,
): Plan['scenarios'][number] | undefined =>
  scenarios.find(({ name, variant }) => name === cell.scenario && variant === cell.variant);

/** A plan without what belongs to a single sweep. */
export const PlanTemplate = Plan.omit({ sweep: true, created_at: true });
export type PlanTemplate = z.infer<typeof PlanTemplate>;

const When = z.union([
  z.object({ cron: z.string(), timezone: z.string() }),
  z.object({ every_secs: z.int().positive() }),
]);
export type When = z.infer<typeof When>;

/**
 * `schedules/<name>.json`: when and how sweeps of a schedule run, and the plan that they share. It contains names
 * of environment variables, never their values.
 */
export const StoredSchedule = z.object({
  schema_version: schemaVersion(1),
  schedule: z.string(),
  created_at: z.string(),
  when: When,
  overlap: z.enum(OVERLAPS),
  jitter_secs: z.int().nonnegative(),
  /** The longest delay of a firing that the server has missed. */
  catch_up_secs: z.int().positive(),
  fail_on: z.enum(FAIL_ON),
  /** Another place for the JUnit report, an absolute path. */
  junit: z.string().nullable(),
  /** Name of the variable with the URL. */
  webhook: z.string().nullable(),
  /** Absolute path of the file with variables, which is read at each firing. */
  env_file: z.string().nullable(),
  /** Names of the variables whose values the runs need. */
  variables: z.array(z.string()),
  plan: PlanTemplate,
});
export type StoredSchedule = z.infer<typeof StoredSchedule>;

/** True if a schedule fires at this moment (ms since the epoch). */
export function isScheduledTime(when: When, at: number): boolean {
  if ('every_secs' in when) return at % (when.every_secs * 1000) === 0;
  const parsed = parseCron(when.cron);
  return parsed.ok && isCronTime(parsed.times, when.timezone, at);
}
