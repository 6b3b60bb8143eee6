import { DEFAULT_VARIANT } from '../../results/records/cell-label.js';
import { modelAsked } from '../../scenario/plan.js';
import { findAgentStep, gatesOf } from '../../scenario/scenario.js';
import { shortestPath } from '../../platform/display-path.js';
import { printJson } from '../shared/output.js';
import { mostOf, mostText } from './most.js';
import type { Project } from '../../planning/project.js';
import type { ResolvedSweep } from '../../planning/resolve-sweep.js';
import { leftOutOf } from '../../planning/select-scenarios.js';

/** `run --dry-run`: prints what would be run. Returns the exit code. */
export function printDryRun(resolved: ResolvedSweep, { resultsPath }: Project, json: boolean): number {
  const scenarios = resolved.scenarios.map(({ selected, variant, effective }) => ({
    name: selected.scenario.name,
    variant: variant.variant,
    file: selected.file,
    fixture: variant.fixture,
    target: effective.target?.binary ?? null,
    /** Null if it is looked up on PATH or in the workspace when the run starts. */
    target_path: effective.target_path,
    /** As written in the file; empty if the variant has none. */
    subject: variant.scenario.subject ?? [],
    ...(leftOutOf(variant).length === 0 ? {} : { left_out: leftOutOf(variant) }),
    /** Null if no agent takes part. */
    timeout_secs: findAgentStep(effective.scenario)?.timeout_secs ?? null,
    gates: gatesOf(effective.scenario).length,
    judge: modelAsked(effective),
  }));
  const most = mostOf(resolved, resultsPath);
  if (json) {
    printJson({
      dry_run: true,
      results_path: resultsPath,
      concurrency: resolved.concurrency,
      ...(resolved.live ? { live: true } : {}),
      ...(resolved.regrade === undefined ? {} : { regrade: resolved.regrade.runs }),
      ...(most === null ? {} : { until_clear: most }),
      scenarios,
      cells: resolved.cells,
    });
    return 0;
  }
  process.stdout.write(
    `${most === null ? '' : 'at most '}${resolved.cells.length} cell${resolved.cells.length === 1 ? '' : 's'}, ${resolved.concurrency} at once, results in ${shortestPath(resultsPath)}${resolved.live ? '; mocks are ignored' : ''}\n`,
  );
  if (most !== null) process.stdout.write(`${mostText(most)}\n`);
  for (const one of scenarios) {
    const { name, variant, file, fixture, target, target_path, subject, timeout_secs, gates, judge } = one;
    const { left_out = [] } = one;
    const found = target_path === null ? '' : ` = ${shortestPath(target_path)}`;
    const details = [
      ...[file, ...(fixture === null ? [] : [`fixture ${shortestPath(fixture)}`])],
      ...(target === null ? [] : [`target ${target}${found}`]),
      ...subject.flatMap((part) =>
        Object.entries(part).map(([kind, of]) => `${kind} ${typeof of === 'string' ? of : of.name}`),
      ),
      ...(left_out.length === 0 ? [] : [`left out ${left_out.join(' ')}`]),
      ...[`gates ${gates}`, ...(judge === null ? [] : [`judge ${judge}`])],
      ...(timeout_secs === null ? [] : [`timeout ${timeout_secs} s`]),
    ];
    process.stdout.write(
      `  ${name}${variant === DEFAULT_VARIANT ? '' : ` ${variant}`}  (${details.join(', ')})\n`,
    );
  }
  for (const { id } of most === null ? resolved.cells : []) {
    const kept = resolved.regrade?.runs[id];
    process.stdout.write(
      `  ${id}${kept === undefined ? '' : `  (checks the work of ${kept} again, if target and agent are the same)`}\n`,
    );
  }
  return 0;
}
