import { z } from 'zod';

const names = z.array(z.string()).default([]);
const text = z.string().nullable().default(null);
const number = z.number().nullable().default(null);
const no = z.boolean().default(false);
const yes = z.boolean().default(true);

/** The options of a verb that plans a sweep, each with a value: null, false or an empty list where nothing was said. */
const Draft = z.object({
  files: names,
  all: no,
  tags: names,
  /** Scenarios of this tier and below. */
  tier: number,
  /** Also run each scenario without its subject. */
  withBaseline: no,
  /** True if nothing needs to be selected; null if the verb has no such option. */
  passWithNoScenarios: z.boolean().nullable().default(null),
  agents: names,
  models: names,
  variants: names,
  profile: text,
  repeat: number,
  /** Ids or labels of the cells to run. */
  cells: names,
  /** Run only the cells of one of several jobs, numbered from 1. */
  shard: z.object({ number: z.number(), of: z.number() }).nullable().default(null),
  concurrency: number,
  /** Reuse finished runs with the same inputs. */
  cache: yes,
  /** Limit for the whole sweep, in US dollars. */
  maxUsd: number,
  /** Labels that a host must have to run a cell. */
  hostLabels: names,
  timeoutSecs: number,
  targetBinary: text,
  /** False if `--no-judge` was given. */
  judge: yes,
  judgeModel: text,
  /** True if `--judge-model` was given, not only its environment variable. */
  isJudgeNamed: no,
  /** Ignore all mocks. */
  live: no,
  /** The variables of `--env-file`. */
  variables: z.record(z.string(), z.string().optional()).default({}),
  /** Set if the sweep stops as soon as its verdict is clear. */
  untilClear: z
    .object({
      /** A variant, or a finished sweep. */
      base: z.string(),
      /** The number that is compared; absent: the pass rate. */
      measure: z.literal('reward').exactOptional(),
      /** From 0 to 1; null: only better and worse are looked for. */
      margin: z.number().nullable(),
      /** From 0 to 1: give up when such a difference is unlikely to be found; null: never. */
      effect: z.number().nullable(),
      /** The most runs of a configuration on each side. */
      maxRuns: z.number(),
    })
    .nullable()
    .default(null),
  /** Check the work of earlier runs again where only the checks have changed; null: do not look for such work. */
  regrade: z.boolean().nullable().default(null),
  /** Lower what containers ask for to what this machine has. */
  clamp: no,
  /** Only show the sweep. That costs nothing, so it needs no consent. */
  dryRun: no,
  /** The beginning of the sweep's id. */
  name: text,
  /** To whom the sweep belongs; null: whoever starts it. */
  owner: text,
});
export type Draft = z.output<typeof Draft>;

/** Options as verbs have them. */
export type DraftOptions = z.input<typeof Draft>;

/** Fills in what a verb has no option for, or what was not given. */
export const draftOf = (options: DraftOptions): Draft => Draft.parse(options);

/** The options that select scenarios. */
export type Selection = Pick<Draft, 'files' | 'all' | 'tags' | 'tier' | 'withBaseline' | 'passWithNoScenarios'>;

/** The options that concern the judge. */
export type JudgeFlags = Pick<Draft, 'judge' | 'judgeModel' | 'isJudgeNamed'>;
