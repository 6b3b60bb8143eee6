import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { listTree, UnusableTree } from '#host';
import type { Problem } from '#lib';
import { type StoredSubject, SUBJECT_BYTES, type SubjectFile } from '#subjects';
import { leaveOut } from './left-out.js';

/** The files that tell how the agent is judged, as absolute paths. */
export interface Secret {
  /** The scenario, with its fixture, checks and rubric. */
  judging: string[];
  /** The folders of fixtures and results. */
  folders: string[];
}

/**
 * One part of it, with those that belong to it; `problems` are those in its own files, `message` says why it cannot be
 * used at all.
 */
export type FoundPart =
  | { part: StoredSubject; more?: StoredSubject[]; path: string; leftOut?: string[] }
  | { message: string }
  | { problems: Problem[] };

/**
 * All files of a skill or plugin that are installed, and what is left out. A text says why the files cannot be used.
 * `secret`: paths in the folder that are left out, too.
 */
export async function filesInSubject(
  kind: 'skill' | 'plugin',
  folder: string,
  secret: readonly string[],
): Promise<{ files: SubjectFile[]; leftOut: string[] } | string> {
  const { isLeftOut, leftOut } = leaveOut(folder, 'skill', secret);
  try {
    const entries = await listTree(folder, isLeftOut);
    const link = entries.find(({ kind }) => kind === 'symlink');
    if (link !== undefined) return `${link.path} is a symlink; copy what it points to into the ${kind}`;
    const files = entries.flatMap((entry) => (entry.kind === 'file' ? [entry] : []));
    const bytes = files.reduce((sum, one) => sum + one.bytes, 0);
    if (bytes > SUBJECT_BYTES)
      return `its files have ${bytes} bytes; a ${kind} may have ${SUBJECT_BYTES}, because it becomes part of the plan`;
    const stored = await Promise.all(
      files.map(async ({ path, executable }): Promise<SubjectFile> => {
        const data = await readFile(join(folder, path));
        return {
          path,
          ...(isUtf8(data)
            ? { content: data.toString('utf8') }
            : { content: data.toString('base64'), base64: true as const }),
          ...(executable ? { executable: true as const } : {}),
        };
      }),
    );
    return { files: stored, leftOut };
  } catch (error) {
    if (error instanceof UnusableTree) return error.message;
    throw error;
  }
}
