import type { CleanDocument } from '#decide';
import { formatBytes, renderTable, terminalText } from '#lib';
import { colors, painted, type TextOptions } from '../blocks/terminal.js';

const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

/** Renders what `clean` removed, or would remove in a dry run: amounts by kind, what stays, and why. */
export function renderClean(document: CleanDocument, options: TextOptions & { verbose: boolean }): string {
  const { dry_run: dryRun, removed, sizes, older_than: age } = document;
  const kinds: [string, readonly string[], number | null][] = [
    ['runs', removed.runs, sizes.runs],
    ['lines of results.jsonl', removed.results, sizes.results],
    ['raw output of runs', removed.raw_output, sizes.raw_output],
    ['sweeps', removed.sweeps, sizes.sweeps],
    ['snapshots of inputs', removed.snapshots, sizes.snapshots],
    ['handed-over variables', removed.handovers, null],
    ['half-written files', removed.temporaries, sizes.temporaries],
  ];
  const found = kinds.filter(([, items]) => items.length > 0);
  const what =
    age.startsWith('0') && Number.parseInt(age, 10) === 0
      ? 'everything that has ended'
      : `everything older than ${age}`;
  if (found.length === 0) {
    return painted([`nothing to delete with --older-than ${age}`, ...keptLines(document, options)].join('\n'), options);
  }
  const rows = found.map(([kind, items, bytes]) => [
    kind,
    String(items.length),
    bytes === null ? '' : formatBytes(bytes),
  ]);
  const lines = [
    `${dryRun ? 'would delete' : 'deleted'} ${what}${dryRun ? colors.dim('  (nothing was changed)') : ''}`,
    ...renderTable(rows, { width: options.width, right: [1, 2], indent: '  ' }),
    `${formatBytes(document.bytes)} ${dryRun ? 'would be freed' : 'freed'}`,
    ...keptLines(document, options),
    ...(options.verbose ? found.flatMap(([kind, items]) => ['', colors.bold(kind), ...items.map(item)]) : []),
  ];
  return painted(lines.join('\n'), options);
}

const item = (text: string): string => `  ${terminalText(text)}`;

function keptLines({ kept }: CleanDocument, { verbose }: { verbose: boolean }): string[] {
  const reasons: [readonly string[], string, string][] = [
    [kept.open_sweeps, 'is still open', 'are still open; end one with `cancel`'],
    [kept.broken_sweeps, 'has a plan that cannot be read', 'have plans that cannot be read'],
    [kept.reused_runs, 'is reused by a result that is kept', 'are reused by results that are kept'],
    [kept.strangers, 'was not made by llm-tool-test', 'were not made by llm-tool-test'],
  ];
  const nouns = [
    ['sweep', 'sweeps'],
    ['sweep', 'sweeps'],
    ['run', 'runs'],
    ['file or folder', 'files and folders'],
  ] as const;
  const summary = [counted(kept.runs, 'run'), counted(kept.sweeps, 'sweep'), counted(kept.snapshots, 'snapshot')].join(
    ', ',
  );
  return [
    '',
    `kept: ${summary}`,
    ...reasons.flatMap(([items, one, many], at) => {
      const [noun = '', nouns2 = ''] = nouns[at] ?? [];
      if (items.length === 0) return [];
      const line = `  ${counted(items.length, noun, nouns2)} ${items.length === 1 ? one : many}`;
      const few = items.length <= 3 || verbose;
      return few
        ? [`${line}:`, ...items.map((name) => colors.dim(`    ${terminalText(name)}`))]
        : [`${line}${colors.dim(' (list them with --verbose)')}`];
    }),
  ];
}
