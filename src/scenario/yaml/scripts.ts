import { z } from 'zod';
import { scriptFields } from '#agent-scripts';
import { command, distinct, exactlyOne, label, mockUrlVariables, seconds, workspaceFile } from '#input';
import { Mocks } from '#mocks';
import { SetupDatabase } from '../database.js';

/** The setup of the workspace before the agent starts. */
export const Setup = z.strictObject({
  commands: z
    .array(command)
    .default([])
    .describe('Commands that run in the workspace before the agent, at most 600 s each'),
  files: z
    .record(workspaceFile, z.string())
    .default({})
    .describe('Files written over the fixture: path and content; `${...}` is not replaced'),
  mocks: Mocks.default([]).describe('Commands, HTTP endpoints and services that answer as written here'),
  mock_url_variables: mockUrlVariables,
  database: SetupDatabase.exactOptional(),
});

const PostScript = z.strictObject({
  command,
  timeout_secs: seconds.default(30).describe('Time limit in seconds'),
});

const Evaluator = z
  .strictObject({
    command: command.exactOptional(),
    script: scriptFields.script.exactOptional(),
    args: scriptFields.args,
    name: label('the name of the evaluator').describe('Shown in reports; unique'),
    timeout_secs: seconds.default(60).describe('Time limit in seconds'),
  })
  .check(exactlyOne(['command', 'script']))
  .refine(({ command, args }) => command === undefined || args.length === 0, {
    path: ['args'],
    error: 'only a script has args; write them into the command',
  });

/** The user's own commands after the agent: post scripts, then evaluators (which measure but never decide). */
export const Scripts = z.strictObject({
  post: z.array(PostScript).default([]).describe('Commands after the agent and before the gates'),
  evaluators: z
    .array(Evaluator)
    .check(distinct(({ name }) => name, 'evaluator name', ['name']))
    .default([])
    .describe('Commands or agent scripts after the gates; they measure, but do not affect the outcome'),
});
