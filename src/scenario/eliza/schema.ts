import { z } from 'zod';
import { GateSpec } from '../../gates/index.js';
import { nonBlank } from '../../gates/fields.js';
import { tooLongArgument } from '../../lib/commands/longest-argument.js';
import { CommandMocks } from '../../mocks/command-mock.js';
import { SetupDatabase } from '../database.js';
import { always, cleanText, label, workspaceFile } from '../fields.js';
import { Environment } from '../yaml/schema.js';

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Evaluators of the form that are not gates yet. */
const EVALUATORS_NOT_YET = [
  'llm_judge',
  'conversation_length',
  'conversation_flow',
  'user_satisfaction',
  'context_retention',
];

/** An evaluator is a gate. Only the field of `file_contains` has another name in this form. */
const Evaluation = z.preprocess((given, context) => {
  if (!isMap(given)) return given;
  if (EVALUATORS_NOT_YET.includes(String(given.type)))
    context.addIssue({
      code: 'custom',
      path: ['type'],
      message: `the evaluator ${String(given.type)} is not supported yet`,
      input: given,
    });
  if (given.type !== 'file_contains' || !('value' in given) || 'substring' in given) return given;
  const { value, ...rest } = given;
  return { ...rest, substring: value };
}, GateSpec);

const evaluations = z.array(Evaluation).describe('Evaluators, all made in this order');

const input = nonBlank('the message for the agent').describe('What the agent is asked');

const Step = z
  .strictObject({
    name: label('the name of the step').exactOptional().describe('Shown in titles'),
    input: input.exactOptional(),
    lang: z
      .string()
      .regex(/^\w[\w.+-]*$/, 'expected the name of a program, like python3')
      .default('bash')
      .describe('The language of code: bash, sh, python, node, or a program that takes code after -c'),
    code: nonBlank('the code to run', (value) => tooLongArgument(value, 'put it into a file, and run that'))
      .exactOptional()
      .describe('Code to run; it is passed as an argument, not through a shell'),
    evaluations: evaluations.default([]),
  })
  .check(
    z.superRefine<object>((step: unknown, context) => {
      if (isMap(step) && !['input', 'code', 'conversation'].some((key) => key in step))
        context.addIssue({ code: 'custom', message: 'expected input or code; got neither' });
    }, always),
  );
export type Step = z.infer<typeof Step>;

const Setup = z.strictObject({
  virtual_fs: z
    .record(workspaceFile, z.string())
    .default({})
    .describe('Files in the workspace: path and content'),
  mocks: CommandMocks.default([]).describe('Commands that answer as written here'),
  database: SetupDatabase.exactOptional(),
});

/** A file in the form of the ElizaOS scenario runner, with all defaults filled in. */
export const ElizaFile = z
  .strictObject({
    name: label('the name of the scenario').describe('Shown in ids, folders and tables'),
    description: z.string().default('').describe('For lists and reports'),
    environment: Environment.default({ type: 'local' }).describe('Where the steps and evaluations run'),
    agent: label('the name of an agent').exactOptional().describe('The agent that is given the input'),
    setup: Setup.prefault({}).describe('What is in the workspace when the first step starts'),
    run: z
      .union([z.strictObject({ input }), z.array(Step).min(1)])
      .describe('Either one input for the agent, or a list of steps'),
    evaluations: evaluations.default([]).describe('Evaluators after all steps'),
    judgment: z
      .strictObject({
        strategy: z
          .enum(['all_pass', 'any_pass'])
          .default('all_pass')
          .describe('Whether every evaluation must pass, or one is enough'),
      })
      .prefault({})
      .describe('How the evaluations determine the outcome'),
  })
  .check(cleanText())
  .check(
    z.superRefine<object>((file: unknown, context) => {
      const steps: unknown[] = isMap(file) && Array.isArray(file.run) ? file.run : [];
      const inputs = steps.flatMap((step, at) => (isMap(step) && 'input' in step ? [at] : []));
      for (const at of inputs.slice(1))
        context.addIssue({
          code: 'custom',
          path: ['run', at, 'input'],
          message: 'only one step with input is supported yet',
        });
    }, always),
  );
export type ElizaFile = z.infer<typeof ElizaFile>;
