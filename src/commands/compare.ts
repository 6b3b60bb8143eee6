import { ALPHA, comparedJudgeWarnings, type Comparison, exitCodeOf } from '#decide';
import { displayPath, ownCommand } from '#host';
import { UsageError } from '#lib';
import { openProject } from '#planning';
import { comparisonMarkdown, rankingMarkdown, renderComparison, renderRanking } from '#reports';
import { writeBaseline } from '#store';
import { baselineOfSweep, comparisonOf, comparisonWithBaseline, rankingOf } from '#sweeps';
import { printJson, printNotice, textOptions } from './shared/output.js';

export interface CompareOptions {
  /** The variant of base and the variant of head to compare. If empty, each variant is compared with itself. */
  variants: string[];
  gate: boolean;
  failOnWorse: boolean;
  /** As a share. */
  margin?: number;
  alpha?: number;
  baseline?: string;
  writeBaseline?: string;
  explain: boolean;
  results?: string;
  format: 'text' | 'md' | 'json';
}

/**
 * `compare`: shows whether a sweep or variant is better or worse than another one, using only the files. The default
 * head is the newest sweep; to compare variants, it is the base. Returns the exit code.
 */
export async function compare(
  base: string | undefined,
  head: string | undefined,
  options: CompareOptions,
): Promise<number> {
  if (options.writeBaseline !== undefined) return write(options.writeBaseline, base, head, options);
  const comparison = await comparisonFrom(base, head, options);
  const shown = { now: Date.now(), command: ownCommand, explain: options.explain };
  print(options.format, comparison, {
    md: () => comparisonMarkdown(comparison, shown),
    text: () => renderComparison(comparison, { ...textOptions(), ...shown }),
  });
  return options.gate || options.failOnWorse ? exitOf(comparison) : 0;
}

/** Prints a document in the format that was asked for. */
export function print(
  format: CompareOptions['format'],
  document: unknown,
  render: Record<'text' | 'md', () => string>,
): void {
  if (format === 'json') printJson(document);
  else process.stdout.write(render[format]());
}

function comparisonFrom(
  base: string | undefined,
  head: string | undefined,
  { results, variants, baseline, alpha = ALPHA, margin = null }: WithMargin,
): Promise<Comparison> {
  const { resultsPath } = openProject(results);
  const options = { alpha, margin, warn: printNotice };
  if (baseline === undefined) {
    if (base === undefined)
      throw new UsageError(
        'usage',
        "missing required argument 'base': a sweep before the change, or --baseline <file>",
      );
    const other = head ?? (variants.length > 0 ? base : 'latest');
    return comparisonOf(resultsPath, base, other, { ...options, variants });
  }
  if (head !== undefined)
    throw new UsageError('usage', '--baseline replaces base: name only the sweep after the change');
  if (variants.length > 0) throw new UsageError('usage', '--variants compares sweeps; leave out --baseline');
  return comparisonWithBaseline(resultsPath, baseline, base ?? 'latest', options);
}

/** Options in which a missing margin can be null. */
export type WithMargin = Omit<CompareOptions, 'margin'> & { margin?: number | null };

/** `--write-baseline`: records a sweep instead of comparing it. */
async function write(
  file: string,
  sweep: string | undefined,
  second: string | undefined,
  { results, variants, baseline, gate, failOnWorse, format }: CompareOptions,
): Promise<number> {
  if (second !== undefined || variants.length > 0 || baseline !== undefined || gate || failOnWorse)
    throw new UsageError(
      'usage',
      '--write-baseline records one sweep and compares nothing; leave out --gate, --baseline, --variants and the second sweep',
    );
  const lines = await baselineOfSweep(openProject(results).resultsPath, sweep ?? 'latest', printNotice);
  const total = await writeBaseline(file, lines);
  const written = lines.length;
  if (format === 'json') printJson({ baseline: file, sweep: lines[0]?.sweep ?? null, written, total });
  else
    process.stdout.write(
      `${displayPath(file)}: ${written} of ${total} configurations written, from ${lines[0]?.sweep ?? ''}\n`,
    );
  return 0;
}

/**
 * Returns the exit code of `--gate`. Prints the reasons on stderr, and warnings about models whose judgment nobody has
 * checked.
 */
function exitOf(comparison: Comparison): number {
  const { result, reasons } = comparison.gate;
  for (const reason of reasons) printNotice(`${result}: ${reason}`);
  for (const warning of comparedJudgeWarnings(comparison)) printNotice(`warning: ${warning}`);
  return exitCodeOf(result);
}

/**
 * `compare --agents`: ranks the agents and models of a sweep, the newest by default, using only the files. Returns 0.
 */
export async function compareAgents(
  sweep: string | undefined,
  head: string | undefined,
  options: WithMargin,
): Promise<number> {
  const { alpha = ALPHA, margin = null, results, format } = options;
  if (head !== undefined) throw new UsageError('usage', '--agents ranks the agents of one sweep; name only that one');
  const other = otherOption(options);
  if (other !== null) throw new UsageError('usage', `--agents and ${other} cannot be combined; leave one of them out`);
  const { resultsPath } = openProject(results);
  const ranking = await rankingOf(resultsPath, sweep ?? 'latest', { alpha, margin, warn: printNotice });
  const shown = { now: Date.now(), command: ownCommand };
  print(format, ranking, {
    md: () => rankingMarkdown(ranking, shown),
    text: () => renderRanking(ranking, { ...textOptions(), ...shown }),
  });
  return 0;
}

/** Returns an option of comparisons that is set; null if there is none. */
function otherOption(options: WithMargin): string | null {
  const { variants, gate, failOnWorse, baseline, writeBaseline, explain } = options;
  const set: [boolean, string][] = [
    [variants.length > 0, '--variants'],
    [gate, '--gate'],
    [failOnWorse, '--fail-on-worse'],
    [baseline !== undefined, '--baseline'],
    [writeBaseline !== undefined, '--write-baseline'],
    [explain, '--explain'],
  ];
  return set.find(([isSet]) => isSet)?.[1] ?? null;
}
