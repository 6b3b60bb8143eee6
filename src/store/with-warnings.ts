import { type BuildUsed, mixedBuilds, type SweepCell, type SweepDocument } from '#decide';
import { counted } from '#lib';
import { outputsThatDoNotFit, type ResultDigest, type RunOutput, scenarioLabel } from '#model';

/**
 * Adds warnings to a sweep's document that concern its runs as a whole: runs with different builds of the target, and
 * agents that print lines which are not events.
 */
export function withWarnings(document: SweepDocument, results: readonly ResultDigest[]): SweepDocument {
  const lines = new Map<string, ResultDigest>();
  for (const line of results) if (line.sweep === document.sweep) lines.set(line.cell, line);
  // There may be thousands of runs, so only what is needed of each is kept.
  const builds: BuildUsed[] = [];
  const outputs: RunOutput[] = [];
  for (const cell of document.cells) {
    const { target_fingerprint: fingerprint = null, output_problems: problems } = lines.get(cell.id) ?? {};
    if (fingerprint !== null) builds.push({ cell, fingerprint });
    if (problems !== undefined) outputs.push({ agent: cell.agent, problems });
  }
  const warnings = [...mixedBuilds(builds), ...outputsThatDoNotFit(outputs), ...runsWithoutChecks(document.cells)];
  return warnings.length === 0 ? document : { ...document, warnings };
}

/** Names the scenarios whose runs only show that the agent ended. */
function runsWithoutChecks(cells: readonly SweepCell[]): string[] {
  const runs = cells.filter(({ unchecked }) => unchecked === true);
  const names = [...new Set(runs.map(scenarioLabel))].join(', ');
  return runs.length === 0
    ? []
    : [
        `nothing was checked in ${counted(runs.length, 'run')} of ${names}: no gates and no judge; they count in no rate, comparison or verdict`,
      ];
}
