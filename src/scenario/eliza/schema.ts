import { z } from 'zod';
import { always, checksFolder, cleanText, label, mockUrlVariables, nonBlank, workspaceFile } from '#input';
import { isMap, tooLongArgument } from '#lib';
import { Mocks } from '#mocks';
import { SetupDatabase } from '../database.js';
import { Environment } from '../environment.js';
import { Conversation } from './conversation.js';
import { evaluations } from './evaluation.js';
import { characterField, pluginsField, RuntimeDatabaseField } from './runtime-fields.js';

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
    conversation: Conversation.exactOptional().describe(
      'A conversation with a user whom a model plays; input is the first message',
    ),
    evaluations: evaluations.default([]),
  })
  .check(
    z.superRefine<object>((step: unknown, context) => {
      if (isMap(step) && !['input', 'code', 'conversation'].some((key) => key in step))
        context.addIssue({
          code: 'custom',
          message: 'expected input, code or conversation; got none of them',
        });
    }, always),
  );
export type Step = z.infer<typeof Step>;

const Setup = z.strictObject({
  virtual_fs: z.record(workspaceFile, z.string()).default({}).describe('Files in the workspace: path and content'),
  database: z
    .union([SetupDatabase, RuntimeDatabaseField])
    .exactOptional()
    .describe('Databases that are filled before the first step, or the database of the ElizaOS runtime'),
  mocks: Mocks.default([]).describe('Commands, HTTP endpoints and services that answer as written here'),
  mock_url_variables: mockUrlVariables,
});

/** A file in the form of the ElizaOS scenario runner, with all defaults filled in. */
export const ElizaFile = z
  .strictObject({
    name: label('the name of the scenario').describe('Shown in ids, folders and tables'),
    description: z.string().default('').describe('For lists and reports'),
    environment: Environment.default({ type: 'local' }).describe('Where the steps and evaluations run'),
    checks_folder: checksFolder,
    agent: label('the name of an agent').exactOptional().describe('The agent that is given the input'),
    character: characterField.exactOptional().describe('The character of the ElizaOS runtime, or the path of its file'),
    plugins: pluginsField.exactOptional().describe('The plugins of the ElizaOS runtime'),
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
  .check(cleanText());
export type ElizaFile = z.infer<typeof ElizaFile>;
