import type { RunRecord } from '#model';

/** Returns which of the optional files a run has, because a report must not link to missing files. */
export function optionalArtifacts(run: RunRecord): { transcripts: boolean; fixture: boolean } {
  return {
    transcripts: run.agent !== null && run.agent.starts > 0,
    // If no target was found and no setup command was run, there may have been no workspace.
    fixture: run.agent !== null || run.target?.resolved != null || run.setup.length > 0,
  };
}
