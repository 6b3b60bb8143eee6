import { UsageError } from '../lib/errors/usage-error.js';
import { displayPath } from '../platform/display-path.js';
import { ownCommand } from '../platform/invocation.js';
import { isFolder } from './file-checks.js';
import { searchFiles, type SearchedFolder } from './find-scenario-files.js';
import type { Project } from './project.js';

const LISTED = 3;

const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`;

/** Describes the files that a search without result has seen in a folder: `fixtures has no scenarios, only 1 other file: ...`. */
export function describeSearch({ folder, files, others }: SearchedFolder): string {
  const shown = displayPath(folder);
  if (!isFolder(folder))
    return `there is no folder ${shown}; create a first scenario with ${ownCommand('init')}`;
  if (files.length > 0) return `${shown} has ${count(files.length, 'scenario')}`;
  if (others.length === 0)
    return `${shown} has no file with the ending .yaml, .yml or .json, except hidden ones and those in results and node_modules`;
  const listed = others.slice(0, LISTED).map(({ path, what }) => `${displayPath(path)} (${what})`);
  const more = others.length > LISTED ? ` and ${others.length - LISTED} more` : '';
  return `${shown} has no scenarios, only ${count(others.length, 'other file')}: ${listed.join(', ')}${more}`;
}

/** Says that a selection is empty, where it was searched for, and what is there. */
export function nothingSelected(
  project: Project,
  selection: { files: readonly string[]; all?: boolean; tags?: readonly string[]; tier?: number },
  remedy = '',
): UsageError {
  const { tags = [], tier } = selection;
  const { files, searched } = searchFiles(project, selection);
  const limits = [
    ...(tags.length === 0 ? [] : [`${tags.length === 1 ? 'the tag' : 'one of the tags'} ${tags.join(', ')}`]),
    ...(tier === undefined ? [] : [`a tier of at most ${tier}`]),
  ].join(' and ');
  const seen = searched.map(describeSearch).join('; ');
  const why = files.length > 0 ? `none of ${count(files.length, 'scenario')} has ${limits}` : '';
  return new UsageError(
    'nothing_selected',
    `no scenarios selected: ${[why, files.length > 0 && searched.length === 0 ? '' : seen].filter((part) => part !== '').join('; ')}${remedy}`,
  );
}
