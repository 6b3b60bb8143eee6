import { type BaselineLine, formatBaseline, parseBaseline, updateBaseline } from '#decide';
import { displayPath, readTextIfThere, writeFileAtomic } from '#host';
import { UsageError } from '#lib';

/** Reads a baseline file. @throws UsageError if there is none, or it is invalid */
export async function readBaseline(file: string): Promise<BaselineLine[]> {
  const text = await readTextIfThere(file);
  if (text === null)
    throw new UsageError(
      'bad_baseline',
      `no baseline file ${displayPath(file)}; write one with compare <sweep> --write-baseline <file>`,
    );
  const lines = linesOf(file, text);
  if (lines.length === 0) throw new UsageError('bad_baseline', `${displayPath(file)} is empty`);
  return lines;
}

/**
 * Writes what a sweep has shown into a baseline file. Lines of other configurations stay. Returns the number of lines.
 *
 * @throws UsageError if the file is there and invalid
 */
export async function writeBaseline(file: string, lines: readonly BaselineLine[]): Promise<number> {
  const text = await readTextIfThere(file);
  const all = updateBaseline(text === null ? [] : linesOf(file, text), lines);
  await writeFileAtomic(file, formatBaseline(all));
  return all.length;
}

function linesOf(file: string, text: string): BaselineLine[] {
  const lines = parseBaseline(text);
  if (typeof lines === 'string')
    throw new UsageError('bad_baseline', `${displayPath(file)} is not a baseline: ${lines}`);
  return lines;
}
