import { z } from 'zod';
import { command, seconds } from '../gates/fields.js';
import { distinct, label, workspaceFile } from './fields.js';

/** What is done to the workspace before the agent starts. */
export const Setup = z.strictObject({
  commands: z.array(command).default([]),
  /** Path in the workspace -> content. */
  files: z.record(workspaceFile, z.string()).default({}),
});

const PostScript = z.strictObject({ command, timeout_secs: seconds.default(30) });

const Evaluator = z.strictObject({
  command,
  name: label('the name of the evaluator'),
  timeout_secs: seconds.default(60),
});

/** The user's own commands after the agent: post scripts, then evaluators (which measure and never decide). */
export const Scripts = z.strictObject({
  post: z.array(PostScript).default([]),
  evaluators: z
    .array(Evaluator)
    .check(distinct(({ name }) => name, 'evaluator name', ['name']))
    .default([]),
});
