import { changesIn, MAX_STARTS, textAtStart } from '#environments';
import type { WorkspaceChanges } from '#model';
import { fixtureFolder } from '#store';
import type { Deps } from '../step/deps.js';
import type { RunIdentity, RunPlaces } from '../run/context.js';

/** The workspace after a step, compared with the start of the run. Not redacted. */
export interface FilesAfter {
  /**
   * The beginnings of text files, by path: those that were added or changed, and those that the scenario wrote. One
   * that is cut ends with an ellipsis.
   */
  files: Record<string, string>;
  /** Number of such files that are not in `files`. */
  leftOut: number;
  removed: string[];
}

/**
 * Returns what a step left in the workspace, if the scenario wants that recorded; null if it cannot be read. That is no
 * reason to perform the step again.
 */
export async function filesAfter(
  { resultsPath }: Deps,
  context: RunIdentity & RunPlaces,
): Promise<{ after?: FilesAfter | null }> {
  const { scenario, environment, handle } = context;
  if (scenario.executions !== true) return {};
  const start = {
    fixture: fixtureFolder(resultsPath, context.fixture),
    files: scenario.inputs.files,
  };
  const changes = await changesIn(environment, handle, start).catch(() => null);
  return { after: changes === null ? null : filesIn(changes, scenario.inputs.files) };
}

/** `written`: the files that the scenario wrote, by path. */
export function filesIn(
  { changed, more, unchanged }: WorkspaceChanges,
  written: Readonly<Record<string, string>>,
): FilesAfter {
  const present = changed.filter(({ change }) => change !== 'removed');
  const all = [
    ...present,
    ...unchanged.map((path) => {
      const content = Buffer.from(written[path] ?? '');
      return { path, start: textAtStart(content), bytes: content.length };
    }),
  ];
  const texts = all
    .flatMap(({ path, start: text, bytes }): [string, string][] =>
      text === null ? [] : [[path, Buffer.byteLength(text) < (bytes ?? 0) ? `${text}…` : text]],
    )
    .slice(0, MAX_STARTS);
  return {
    files: Object.fromEntries(texts),
    leftOut: all.length - texts.length + more,
    removed: changed.flatMap(({ path, change }) => (change === 'removed' ? [path] : [])),
  };
}
