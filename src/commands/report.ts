import { appendFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { displayPath, ownCommand, packageFile, writeFileAtomic } from '#host';
import { addPathToFullDiskError, isFull, UsageError } from '#lib';
import { openProject } from '#planning';
import { type FormatName, loadFormat, type SweepReport } from '#reports';
import { bringSweepRuns, findById, reportedCells, sweepDocument } from '#sweeps';
import { embedSweep, reportPage } from '#viewer';
import { printNotice } from './shared/output.js';

export interface ReportOptions {
  /** `html` is the page of the viewer, and no format of its own. */
  format: FormatName | 'html';
  /** Write to this file instead of stdout. */
  output?: string;
  results?: string;
}

/** `report`: writes a report of a sweep and all its runs, using only the files. */
export async function report(id: string, options: ReportOptions): Promise<number> {
  if (options.output !== undefined) checkOutput(options.output);
  const { resultsPath } = openProject(options.results);
  const found = await findById(resultsPath, id);
  if (found.kind === 'run')
    throw new UsageError('usage', `'${id}' is a run, not a sweep; show it with ${ownCommand(`show ${id}`)}`);
  await bringSweepRuns(resultsPath, found.plan.sweep);
  if (options.format === 'html') {
    const page = reportPage(await embedSweep(resultsPath, found.plan, printNotice), packageFile('dist/viewer'));
    await write(page, options.output, replaceOutput);
    return 0;
  }
  const document = await sweepDocument(resultsPath, found.plan, printNotice);
  const content: SweepReport = {
    document,
    cells: await reportedCells(document.cells),
    base: options.output === undefined ? process.cwd() : dirname(resolve(options.output)),
  };
  const format = await loadFormat(options.format);
  const text = format.render(content);
  await write(text, options.output, format.appends === true ? appendOutput : replaceOutput);
  // CI services read the log on both streams, but stdout has the report and may be redirected to a file
  if (format.log !== undefined && process.env[format.log.variable] === 'true')
    format.log.lines(content).forEach(printNotice);
  return 0;
}

async function write(
  text: string,
  output: string | undefined,
  writeFile: (path: string, text: string) => Promise<void>,
): Promise<void> {
  if (output === undefined) {
    process.stdout.write(text);
    return;
  }
  await writeFile(output, text);
  printNotice(`report  ${displayPath(resolve(output))}`);
}

/** Checks the path of `--output` before the report is made. @throws UsageError if it cannot be written */
function checkOutput(path: string): void {
  if (statSync(dirname(path), { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new UsageError('files_unwritable', `--output ${path}: folder ${dirname(path)} does not exist`);
  // Otherwise a file would replace the device or pipe.
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === false)
    throw new UsageError('files_unwritable', `--output ${path}: exists and is not a file`);
}

/** Replaces a file atomically: readers see the old or the new one. @throws UsageError if it cannot be written */
const replaceOutput = (path: string, text: string): Promise<void> =>
  orUsageError(path, () => writeFileAtomic(realOf(path), text));

/** @throws UsageError if the file cannot be written */
const appendOutput = (path: string, text: string): Promise<void> =>
  orUsageError(path, () => appendFileSync(path, text));

/** Follows symlinks, so that the file is replaced and not the link to it. */
const realOf = (path: string): string =>
  statSync(path, { throwIfNoEntry: false }) === undefined ? path : realpathSync(path);

async function orUsageError(path: string, write: () => Promise<void> | void): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (isFull(error)) throw addPathToFullDiskError(error, path);
    throw new UsageError('files_unwritable', `--output ${path}: ${(error as Error).message}`);
  }
}
