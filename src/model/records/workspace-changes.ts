/** A file of the workspace that differs from the fixture. */
export interface WorkspaceChange {
  path: string;
  change: 'added' | 'changed' | 'removed';
  /** null if it was removed, or is not a regular file. */
  bytes: number | null;
  /** The beginning of a text file; null if there is none to show. */
  start: string | null;
}

/** What the agent, and the processes that it started, changed in the workspace. */
export interface WorkspaceChanges {
  changed: WorkspaceChange[];
  /** Number of further changes that are not listed. */
  more: number;
  /** Files that the scenario wrote, and that are still as it wrote them. */
  unchanged: string[];
}
