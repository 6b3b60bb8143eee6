import { z } from 'zod';
import { scriptFields } from '../agent-scripts/fields.js';
import { nonBlank, seconds } from '../gates/fields.js';
import { Evaluation } from './evaluation.js';
import { cleanText, distinct, label } from './fields.js';
import { Mock } from './mock.js';
import { Scripts, Setup } from './scripts.js';
import { TargetOrConfig } from './target.js';
import { ToolMatrixEntry } from './tool-matrix.js';
import { Variant } from './variant.js';

/** Where the agent and the checks run. */
const Environment = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('local').describe('This machine; the agent can read and write what you can'),
  }),
  z.strictObject({ type: z.literal('bubblewrap').describe('The agent in a sandbox of bubblewrap (Linux)') }),
  z.strictObject({ type: z.literal('auto').describe('bubblewrap where it works, else local') }),
]);
type Environment = z.infer<typeof Environment>;

const Run = z.strictObject({
  timeout_secs: seconds
    .exactOptional()
    .describe('Time for the agent, in seconds (300); then it is killed, and the gates still decide'),
  idle_timeout_secs: seconds
    .exactOptional()
    .describe('The agent is killed when its output has not grown for so many seconds'),
  max_turns: z.int().min(1).exactOptional().describe('Handed to agents that have such a limit'),
});

const Cost = z.strictObject({
  max_usd: z.number().min(0).exactOptional().describe('US dollars that a run may cost'),
  cache: z.boolean().default(true).describe('Whether a completed run of the same inputs may be reused'),
});

/** A scenario file, with every default filled in. */
export const Scenario = z
  .strictObject({
    name: label('the name of the scenario').describe('Names it in ids, folders and tables; unique'),
    description: z.string().describe('For lists and reports'),
    template_folder: nonBlank('the name of a fixture folder').describe(
      'The fixture, of which each run gets a copy: beside the scenario file, in the fixtures folder, or in its templates/',
    ),
    target: TargetOrConfig.describe("The program under test, or from_config: that of the config's [target]"),
    task: z
      .strictObject({
        prompt: nonBlank('the prompt for the agent').describe('What the agent is asked to do'),
        context: z
          .array(
            z.strictObject({
              ...scriptFields,
              timeout_secs: seconds.default(60).describe('Time for the script, in seconds'),
            }),
          )
          .default([])
          .describe('Agent scripts that are run before the agent, which is given what they answer'),
      })
      .describe('What the agent is given'),
    evaluation: Evaluation.describe('How the result is judged'),
    tier: z.int().min(0).default(0).describe('--tier N selects scenarios of tier N and below'),
    tags: z
      .array(label('a tag'))
      .check(distinct((tag) => tag, 'tag'))
      .meta({ uniqueItems: true })
      .default([])
      .describe('--tags a,b selects scenarios with any of them'),
    setup: Setup.prefault({}).describe('What is done to the workspace before the agent starts'),
    scripts: Scripts.prefault({}).describe('Commands of yours after the agent'),
    tool_matrix: z.array(ToolMatrixEntry).default([]).describe('The agents and models to run it with'),
    matrix: z
      .strictObject({
        repeat: z.int().min(1).default(1).describe('Repetitions of every cell'),
        variants: z
          .array(Variant)
          .check(distinct(({ name }) => name, 'variant name', ['name']))
          .default([])
          .describe('The scenario is run in each of them, in place of itself'),
      })
      .prefault({})
      .describe('How often, and in which variants, each agent and model is run'),
    run: Run.prefault({}).describe('Limits for the agent'),
    cost: Cost.prefault({}).describe('What may be spent'),
    environment: Environment.default({ type: 'local' }).describe('Where agent and checks run'),
    mock: Mock.exactOptional().describe('The script of the agent `mock`, which costs nothing'),
  })
  .check(cleanText());
export type Scenario = z.infer<typeof Scenario>;
