import { z } from 'zod';
import { scriptFields } from '#agent-scripts';
import { MockScript } from '#agents';
import { checksFolder, cleanText, distinct, label, nonBlank, seconds } from '#input';
import { MAX_CELLS } from '#lib';
import { Subject, WITHOUT } from '#subjects';
import { Environment } from '../environment.js';
import { Evaluation } from './evaluation.js';
import { Scripts, Setup } from './scripts.js';
import { TargetOrConfig } from '../target.js';
import { ToolMatrixEntry, Variant } from './variant.js';

const Run = z.strictObject({
  timeout_secs: seconds
    .exactOptional()
    .describe('Time limit of the agent in seconds (300); then it is killed, and the gates still decide'),
  idle_timeout_secs: seconds
    .exactOptional()
    .describe('The agent is killed if its output has not grown for this many seconds'),
  max_turns: z.int().min(1).exactOptional().describe('Turns of the agent; only claude-code and gemini have this limit'),
});

const Cost = z.strictObject({
  max_usd: z.number().min(0).exactOptional().describe('US dollars; an agent that costs more is stopped'),
  cache: z.boolean().default(true).describe('Whether a finished run with the same inputs is reused'),
});

/** The rules that connect `subject` with other fields, as JSON Schema for editors. */
const TESTS_SOMETHING = { anyOf: [{ required: ['target'] }, { required: ['subject'] }] };
const NEEDS_SUBJECT = {
  if: { properties: { baseline: { const: true } }, required: ['baseline'] },
  then: { required: ['subject'] },
};
const description = 'The name of no variant ends with -without';
const VARIANT_HAS_SUBJECT = {
  properties: {
    matrix: {
      description,
      properties: { variants: { description, contains: { required: ['subject'] } } },
      required: ['variants'],
    },
  },
  required: ['matrix'],
};
const NO_BASELINE_NAMES = {
  if: { anyOf: [{ required: ['subject'] }, VARIANT_HAS_SUBJECT] },
  then: {
    properties: {
      matrix: {
        description,
        properties: {
          variants: {
            description,
            items: { properties: { name: { description, not: { pattern: `-${WITHOUT}$` } } } },
          },
        },
      },
    },
  },
};

/** A scenario file, with all defaults filled in. */
export const ScenarioFile = z
  .strictObject({
    name: label('the name of the scenario').describe(
      'Shown in ids, folders and tables; unique among the scenarios of a command',
    ),
    description: z.string().describe('For lists and reports'),
    template_folder: nonBlank('the name of a fixture folder').describe(
      'The fixture, copied for each run: a folder beside the scenario file or in the fixtures folder',
    ),
    checks_folder: checksFolder,
    target: TargetOrConfig.exactOptional().describe(
      'The program under test; from_config: the one of the config; may be omitted beside a subject',
    ),
    subject: Subject.exactOptional().describe(
      'Skills, instructions, plugins and MCP servers under test, given to the agent: one part or a list of them',
    ),
    baseline: z
      .boolean()
      .default(false)
      .describe('Whether the scenario also runs without its subject, as the variant `without`'),
    task: z
      .strictObject({
        prompt: nonBlank('the prompt for the agent').describe('What the agent is asked to do'),
        context: z
          .array(
            z.strictObject({
              ...scriptFields,
              timeout_secs: seconds.default(60).describe('Time limit in seconds'),
            }),
          )
          .default([])
          .describe('Agent scripts that run before the agent, which is given their answers'),
      })
      .describe('What the agent is given'),
    evaluation: Evaluation.describe('How the result is judged'),
    tier: z.int().min(0).default(0).describe('`--tier N` selects scenarios of tier N and below'),
    tags: z
      .array(label('a tag'))
      .check(distinct((tag) => tag, 'tag'))
      .meta({ uniqueItems: true })
      .default([])
      .describe('`--tags a,b` selects scenarios with any of them'),
    setup: Setup.prefault({}).describe('What is done to the workspace before the agent starts'),
    scripts: Scripts.prefault({}).describe('Your own commands after the agent'),
    tool_matrix: z.array(ToolMatrixEntry).default([]).describe('The agents and models to run it with'),
    matrix: z
      .strictObject({
        repeat: z.int().min(1).max(MAX_CELLS).default(1).describe('Repetitions of every cell'),
        variants: z
          .array(Variant)
          .check(distinct(({ name }) => name, 'variant name', ['name']))
          .default([])
          .describe('Variants that run instead of the plain scenario'),
      })
      .prefault({})
      .describe('How often, and in which variants, each agent and model is run'),
    run: Run.prefault({}).describe('Limits for the agent'),
    cost: Cost.prefault({}).describe('What may be spent'),
    environment: Environment.default({ type: 'local' }).describe('Where the agent and the checks run'),
    mock: MockScript.exactOptional().describe('What the free agent `mock` does'),
  })
  .refine(({ target, subject }) => target !== undefined || subject !== undefined, {
    path: ['target'],
    error: "missing: expected a map (binary, ...) or 'from_config', because there is no subject either",
    when: ({ value }) => typeof value === 'object' && value !== null && !Array.isArray(value),
  })
  .refine(({ baseline, subject }) => !baseline || subject !== undefined, {
    path: ['baseline'],
    error: 'there is nothing to leave out: the scenario has no subject',
  })
  .superRefine(({ subject, matrix }, context) => {
    if (subject === undefined && matrix.variants.every((one) => one.subject === undefined)) return;
    for (const [index, { name }] of matrix.variants.entries())
      if (name.endsWith(`-${WITHOUT}`))
        context.addIssue({
          code: 'custom',
          path: ['matrix', 'variants', index, 'name'],
          message: `expected another name: in a scenario with a subject, names that end with "-${WITHOUT}" are those of baselines`,
        });
  })
  .check(cleanText())
  .meta({ allOf: [TESTS_SOMETHING, NEEDS_SUBJECT, NO_BASELINE_NAMES] });
export type ScenarioFile = z.infer<typeof ScenarioFile>;
