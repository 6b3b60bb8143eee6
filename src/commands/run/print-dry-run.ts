import type { SpentBefore, UntilClear } from '#decide';
import { shortestPath } from '#host';
import { dollars, formatCost } from '#lib';
import { DEFAULT_VARIANT } from '#model';
import { leftOutOf, monthLeft, monthText, mostOf, type ResolvedSweep } from '#planning';
import { findAgentStep, gatesOf, judgeModelOf } from '#scenario';
import { printJson } from '../shared/output.js';

/** `run --dry-run`: prints what would be run. Returns the exit code. */
export async function printDryRun(resolved: ResolvedSweep, json: boolean): Promise<number> {
  const { resultsPath } = resolved.project;
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
    judge: judgeModelOf(effective),
  }));
  const cap = capOf(resolved);
  const month = await monthLeft(resolved.project, resolved.owner);
  if (json) {
    printJson({
      dry_run: true,
      results_path: resultsPath,
      concurrency: resolved.concurrency,
      ...(resolved.live ? { live: true } : {}),
      ...(resolved.regrade === null ? {} : { regrade: resolved.regrade.runs }),
      ...(cap === null ? {} : { until_clear: cap }),
      ...(month === null ? {} : { month }),
      scenarios,
      cells: resolved.cells,
    });
    return 0;
  }
  process.stdout.write(
    `${cap === null ? '' : 'at most '}${resolved.cells.length} cell${resolved.cells.length === 1 ? '' : 's'}, ${resolved.concurrency} at once, results in ${shortestPath(resultsPath)}${resolved.live ? '; mocks are ignored' : ''}\n`,
  );
  if (cap !== null) process.stdout.write(`${capText(cap)}\n`);
  if (month !== null) process.stdout.write(`${monthText(month)}\n`);
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
    process.stdout.write(`  ${name}${variant === DEFAULT_VARIANT ? '' : ` ${variant}`}  (${details.join(', ')})\n`);
  }
  for (const { id } of cap === null ? resolved.cells : []) {
    const kept = resolved.regrade?.runs[id];
    process.stdout.write(
      `  ${id}${kept === undefined ? '' : `  (checks the work of ${kept} again, if target and agent are the same)`}\n`,
    );
  }
  return 0;
}

/** Says what a sweep that runs until its verdict is clear may need at most. */
interface SweepCap {
  base: string;
  /** Absent: the pass rate. */
  measure?: 'reward';
  /** Percentage points; null if no margin was given. */
  margin: number | null;
  /** Probability of a false better or worse, over all looks. */
  alpha: number;
  /** Absent: nobody has asked the same before. */
  spent_before?: SpentBefore;
  most_runs: number;
  /** Runs of a configuration on each side. */
  most_runs_each: number;
  /** US dollars; null if unknown. */
  most_usd: number | null;
}

/** Returns what the sweep may need at most; null if it runs all of its cells. */
function capOf(resolved: ResolvedSweep): SweepCap | null {
  const { untilClear, cells, maxUsd } = resolved;
  if (untilClear === null) return null;
  const costs = cells.map((cell) => mostOf(resolved, cell));
  const known = costs.flatMap((cost) => cost ?? []);
  const usd = known.length < costs.length ? null : dollars(known.reduce((sum, cost) => sum + cost, 0));
  return {
    base: nameOf(untilClear.base),
    ...(untilClear.measure === undefined ? {} : { measure: untilClear.measure }),
    margin: untilClear.margin === null ? null : untilClear.margin * 100,
    alpha: untilClear.alpha,
    ...(untilClear.spent_before === undefined ? {} : { spent_before: untilClear.spent_before }),
    most_runs: cells.length,
    most_runs_each: untilClear.most_runs,
    most_usd: usd === null ? maxUsd : Math.min(usd, maxUsd ?? usd),
  };
}

const capText = ({ base, measure, most_runs_each, most_usd }: SweepCap): string =>
  `compared with ${base}${measure === undefined ? '' : ' by the mean reward'} in rounds until the verdict is clear: at most ${most_runs_each} runs of each configuration on each side; cost: ${most_usd === null ? 'unknown; --max-usd limits it' : `at most ${formatCost(most_usd)}`}`;

const nameOf = (base: UntilClear['base']): string => (base.kind === 'variant' ? base.variant : base.sweep);
