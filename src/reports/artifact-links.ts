import type { RunRecord } from '../results/records/run-record.js';

/** The files that a run has left, of those that not every run leaves: a report links to nothing that is not there. */
export function optionalArtifacts(run: RunRecord): { transcripts: boolean; fixture: boolean } {
  return {
    transcripts: run.agent !== null && run.agent.starts > 0,
    // Without a target that was found, or a setup command that was run, there may have been no workspace.
    fixture: run.agent !== null || run.target.resolved !== null || run.setup.length > 0,
  };
}
