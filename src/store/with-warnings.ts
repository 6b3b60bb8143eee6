import { type BuildUsed, mixedBuilds, type SweepCell, type SweepDocument } from '#decide';
import { outputsThatDoNotFit, type ResultDigest, type RunOutput, scenarioLabel } from '#model';

/**
 * Adds warnings to a sweep's document that concern its runs as a whole: runs with different builds of the target, and
 * agents that print lines which are not events.
 */
export function withWarnings(document: SweepDocument, results: readonly ResultDigest[]): SweepDocument {
  const lines = new Map(results.flatMap((line) => (line.sweep === document.sweep ? [[line.cell, line] as const] : [])));
  // There may be thousands of runs, so only what is needed of each is kept.
  const runs = document.cells.map((cell) => {
    const line = lines.get(cell.id);
    return line === undefined ? { builds: [], outputs: [] } : ofLine(cell, line);
  });
  const warnings = [
    ...mixedBuilds(runs.flatMap(({ builds }) => builds)),
    ...outputsThatDoNotFit(runs.flatMap(({ outputs }) => outputs)),
    ...runsWithoutChecks(document.cells),
  ];
  return warnings.length === 0 ? document : { ...document, warnings };
}

/** Names the scenarios whose runs only show that the agent ended. */
function runsWithoutChecks(cells: readonly SweepCell[]): string[] {
  const runs = cells.filter(({ unchecked }) => unchecked === true);
  const names = [...new Set(runs.map(scenarioLabel))].join(', ');
  return runs.length === 0
    ? []
    : [
        `nothing was checked in ${runs.length} run${runs.length === 1 ? '' : 's'} of ${names}: no gates and no judge; they count in no rate, comparison or verdict`,
      ];
}

interface Facts {
  builds: BuildUsed[];
  outputs: RunOutput[];
}

const ofLine = (
  cell: SweepCell,
  { target_fingerprint: fingerprint = null, output_problems: problems }: ResultDigest,
): Facts => ({
  builds: fingerprint === null ? [] : [{ cell, fingerprint }],
  outputs: problems === undefined ? [] : [{ agent: cell.agent, problems }],
});
