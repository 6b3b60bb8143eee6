import { DEFAULT_VARIANT } from '../../results/cell-label.js';
import { printJson } from '../output.js';
import type { Project } from '../project.js';
import type { Draft } from './draft-sweep.js';

/** `run --dry-run`: what would be run. */
export function showDraft(draft: Draft, { resultsPath }: Project, json: boolean): number {
  const scenarios = draft.scenarios.map(({ selected, variant, effective }) => ({
    name: selected.scenario.name,
    variant: variant.variant,
    file: selected.file,
    fixture: variant.fixture,
    target: effective.target.binary,
    /** null: looked for on PATH, or in the workspace, when the run starts. */
    target_path: effective.target_path,
    timeout_secs: effective.timeout_secs,
    gates: selected.scenario.evaluation.gates.length,
    judge: effective.judge?.model ?? null,
  }));
  if (json) {
    printJson({
      dry_run: true,
      results_path: resultsPath,
      concurrency: draft.concurrency,
      scenarios,
      cells: draft.cells,
    });
    return 0;
  }
  process.stdout.write(
    `${draft.cells.length} cell${draft.cells.length === 1 ? '' : 's'}, ${draft.concurrency} at once, results in ${resultsPath}\n`,
  );
  for (const { name, variant, file, fixture, target, target_path, timeout_secs, gates, judge } of scenarios) {
    const found = target_path === null ? '' : ` = ${target_path}`;
    process.stdout.write(
      `  ${name}${variant === DEFAULT_VARIANT ? '' : ` ${variant}`}  (${file}, fixture ${fixture}, target ${target}${found}, gates ${gates}, ${judge === null ? '' : `judge ${judge}, `}timeout ${timeout_secs} s)\n`,
    );
  }
  for (const cell of draft.cells) process.stdout.write(`  ${cell.id}\n`);
  return 0;
}
