import { z } from 'zod';
import { schemaVersion } from '#lib';
import { JsonValue } from './quantities.js';
import { SCHEMA_VERSION } from './result-line.js';
import { KeptText } from './redact-fields.js';

/** One thing that an agent thought, did or was shown. */
export const TrajectoryStep = z.object({
  type: z.enum(['thought', 'action', 'observation']).describe('Reasoning, call of a tool, or its result'),
  timestamp: KeptText.describe('ISO 8601 in UTC'),
  content: JsonValue.describe(
    'Text; of an action, its `name` and `parameters`, and `executed: false` if it was not executed. Long text is cut, and ends with …',
  ),
});
export type TrajectoryStep = z.infer<typeof TrajectoryStep>;

/** The result of a step: the `ExecutionResult` of the ElizaOS scenario runner. */
export const Execution = z.object({
  step: KeptText.describe('Name of the step in run.json'),
  name: KeptText.nullable().describe('Name that the scenario gives it'),
  exitCode: z.int().nullable().describe('Null: none, it was killed'),
  stdout: z.string().describe("What the code printed, or the agent's last message; the beginning, if it is long"),
  stderr: z.string().describe('Beginning of stderr of the code, or the end of that of the agent'),
  files: z
    .record(KeptText, z.string())
    .nullable()
    .describe(
      'Text files as the step left them, by path: those of `setup.virtual_fs`, and others that were added or changed since the start of the run; of each at most 16 KiB, then …; null: unknown',
    ),
  filesLeftOut: z
    .int()
    .nullable()
    .describe('Such files that are not text (UTF-8 without NUL), or beyond the first 50; null: unknown'),
  filesRemoved: z.array(z.string()).nullable().describe('Files that are gone; null: unknown'),
  startedAtMs: z.int().describe('Milliseconds since 1970'),
  endedAtMs: z.int().describe('Milliseconds since 1970'),
  durationMs: z.number().describe('How long the code ran or the agent worked, all its starts together'),
  trajectory: z
    .array(TrajectoryStep)
    .nullable()
    .describe('What an agent thought, did and was shown; empty for code; null: its output does not show it'),
  trajectoryLeftOut: z.int().describe('Further entries of the trajectory, beyond the first 500'),
});
export type Execution = z.infer<typeof Execution>;

/** artifacts/executions.json */
export const Executions = z.object({
  schema_version: schemaVersion(SCHEMA_VERSION).describe('Version of the format'),
  run_id: KeptText.describe('Id of the run'),
  executions: z.array(Execution).describe('One for each step that was performed, in order'),
});
export type Executions = z.infer<typeof Executions>;

/** A file of the workspace that differs from the fixture. */
export interface WorkspaceChange {
  path: string;
  change: 'added' | 'changed' | 'removed';
  /** null if it was removed, or is not a regular file. */
  bytes: number | null;
  /** The beginning of a text file; null if there is none to show. */
  start: string | null;
}

/** The changes in the workspace by the agent and the processes that it started. */
export interface WorkspaceChanges {
  changed: WorkspaceChange[];
  /** Number of further changes that are not listed. */
  more: number;
  /** Files that the scenario wrote, and that are still as it wrote them. */
  unchanged: string[];
}
