import { z } from 'zod';

/** Where the agent scripts of a project are, relative to its root. */
export const SCRIPTS_FOLDER = '.agents/scripts';

/** Paths of a script's files, relative to the project's root. */
export interface ScriptPaths {
  /** Path below the scripts' folder: `check-coverage`, or `coverage/check` in a group. */
  name: string;
  folder: string;
  source: string;
  readme: string;
}

const SEGMENT = /^[A-Za-z0-9_][\w.-]*$/;

/**
 * Returns the paths of the script with this name or path: `coverage/check`, `.agents/scripts/coverage/check/run.ts`.
 * Null if it cannot be the name of a script.
 */
export function scriptPaths(nameOrPath: string): ScriptPaths | null {
  const name = nameOrPath
    .replace(/^\.\//, '')
    .replace(/^\.agents\/scripts\//, '')
    .replace(/\/(run\.ts|README\.md)?$/, '');
  if (!name.split('/').every((segment) => SEGMENT.test(segment))) return null;
  const folder = `${SCRIPTS_FOLDER}/${name}`;
  return { name, folder, source: `${folder}/run.ts`, readme: `${folder}/README.md` };
}

/** The fields by which a scenario names an agent script and its arguments. */
export const scriptFields = {
  script: z
    .string()
    .refine((name) => scriptPaths(name) !== null, {
      error: 'expected the name of an agent script, like check-coverage or coverage/check',
    })
    .describe('Agent script of the workspace: its folder in .agents/scripts, or the path of its run.ts'),
  args: z.array(z.string()).default([]).describe('Arguments of the script'),
};
