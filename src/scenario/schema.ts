import { z } from 'zod';
import { nonBlank, seconds } from '../gates/fields.js';
import { Evaluation } from './evaluation.js';
import { cleanText, distinct, label } from './fields.js';
import { Mock } from './mock.js';
import { Scripts, Setup } from './scripts.js';
import { TargetOrConfig } from './target.js';
import { ToolMatrixEntry } from './tool-matrix.js';

/** Where the agent and the checks run. */
const Environment = z.discriminatedUnion('type', [z.strictObject({ type: z.literal('local') })]);
type Environment = z.infer<typeof Environment>;

const Run = z.strictObject({
  timeout_secs: seconds.exactOptional(),
  idle_timeout_secs: seconds.exactOptional(),
  max_turns: z.int().min(1).exactOptional(),
});

const Cost = z.strictObject({
  max_usd: z.number().min(0).exactOptional(),
  /** Whether a completed run of the same inputs may be reused. */
  cache: z.boolean().default(true),
});

/** A scenario file, with every default filled in. */
export const Scenario = z
  .strictObject({
    name: label('the name of the scenario'),
    description: z.string(),
    /** The fixture: beside the scenario file, in the fixtures folder, or in its `templates/`. */
    template_folder: nonBlank('the name of a fixture folder'),
    target: TargetOrConfig,
    task: z.strictObject({ prompt: nonBlank('the prompt for the agent') }),
    evaluation: Evaluation,
    tier: z.int().min(0).default(0),
    tags: z
      .array(label('a tag'))
      .check(distinct((tag) => tag, 'tag'))
      .default([]),
    setup: Setup.prefault({}),
    scripts: Scripts.prefault({}),
    tool_matrix: z.array(ToolMatrixEntry).default([]),
    matrix: z.strictObject({ repeat: z.int().min(1).default(1) }).prefault({}),
    run: Run.prefault({}),
    cost: Cost.prefault({}),
    environment: Environment.default({ type: 'local' }),
    mock: Mock.exactOptional(),
  })
  .check(cleanText());
export type Scenario = z.infer<typeof Scenario>;
