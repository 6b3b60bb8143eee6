import { z } from 'zod';
import { scriptFields } from '../agent-scripts/fields.js';
import { command, seconds } from '../gates/fields.js';
import { distinct, exactlyOne, label, workspaceFile } from './fields.js';

/** What is done to the workspace before the agent starts. */
export const Setup = z.strictObject({
  commands: z.array(command).default([]).describe('Run in the workspace before the agent, in this order'),
  files: z
    .record(workspaceFile, z.string())
    .default({})
    .describe('Files written into the workspace after the fixture: path and content'),
});

const PostScript = z.strictObject({
  command,
  timeout_secs: seconds.default(30).describe('Time for the script, in seconds'),
});

const Evaluator = z
  .strictObject({
    command: command.exactOptional(),
    script: scriptFields.script.exactOptional(),
    args: scriptFields.args,
    name: label('the name of the evaluator').describe('Names it in reports; unique'),
    timeout_secs: seconds.default(60).describe('Time for the evaluator, in seconds'),
  })
  .check(exactlyOne(['command', 'script']))
  .refine(({ command, args }) => command === undefined || args.length === 0, {
    path: ['args'],
    error: 'only a script has args; write them into the command',
  });

/** The user's own commands after the agent: post scripts, then evaluators (which measure and never decide). */
export const Scripts = z.strictObject({
  post: z.array(PostScript).default([]).describe('Run after the agent, before the gates'),
  evaluators: z
    .array(Evaluator)
    .check(distinct(({ name }) => name, 'evaluator name', ['name']))
    .default([])
    .describe(
      'Run after the gates: commands that print JSON (metrics, score, summary), or agent scripts; they never decide',
    ),
});
