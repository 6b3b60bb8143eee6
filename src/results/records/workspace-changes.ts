/** A file of the workspace that is not as the fixture has it. */
export interface WorkspaceChange {
  path: string;
  change: 'added' | 'changed' | 'removed';
  /** null for what is no regular file, or is gone. */
  bytes: number | null;
  /** The beginning of a text file; null where there is none to show. */
  start: string | null;
}

/** What the agent, or what it started, has done to the files of the workspace. */
export interface WorkspaceChanges {
  changed: WorkspaceChange[];
  /** How many further ones were found. */
  more: number;
}
