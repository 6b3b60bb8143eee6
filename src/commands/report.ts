import { appendFileSync, existsSync, realpathSync, statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { displayPath, ownCommand, packageFile, writeFileAtomic } from '#host';
import { UsageError } from '#lib';
import { RunRecord } from '#model';
import { openProject } from '#planning';
import { type FormatName, loadFormat, type SweepReport, trajectoryOf } from '#reports';
import type { Plan } from '#scenario';
import { readEvents, readResultsFile, runFiles } from '#store';
import { bringSweepRuns, findById, reportedCells, sweepDocument, sweepWithResults } from '#sweeps';
import { embedSweep, reportPage } from '#viewer';
import { orUnwritable } from './shared/new-files.js';
import { printNotice } from './shared/output.js';

export interface ReportOptions {
  /** `html` is the page of the viewer, and `atif` has the conversations alone; neither is a report of its own. */
  format: FormatName | 'html' | 'atif';
  /** Write to this file instead of stdout; `atif` also to a folder. */
  output?: string;
  /** The address of the HTML report, for `github`. */
  url?: string;
  results?: string;
}

/** `report`: writes a report of a sweep and all its runs, using only the files. */
export async function report(id: string, options: ReportOptions): Promise<number> {
  const toFolder = options.format === 'atif' && options.output !== undefined && isFolderAt(options.output);
  if (options.output !== undefined && !toFolder) checkOutput(options.output);
  const { resultsPath } = openProject(options.results);
  const found = await findById(resultsPath, id);
  if (options.format === 'atif') {
    await reportTrajectories(resultsPath, found, options.output, toFolder);
    return 0;
  }
  if (found.kind === 'run')
    throw new UsageError('usage', `'${id}' is a run, not a sweep; show it with ${ownCommand(`show ${id}`)}`);
  await bringSweepRuns(resultsPath, found.plan.sweep);
  if (options.format === 'html') {
    const page = reportPage(await embedSweep(resultsPath, found.plan, printNotice), packageFile('dist/viewer'));
    await write(page, options.output, replaceOutput);
    return 0;
  }
  const { document, results } = await sweepWithResults(resultsPath, found.plan, printNotice);
  const content: SweepReport = {
    document,
    cells: await reportedCells(resultsPath, document, results),
    base: options.output === undefined ? process.cwd() : dirname(resolve(options.output)),
    ...(options.url === undefined ? {} : { page: pageOf(options.url, options.format) }),
  };
  const format = await loadFormat(options.format);
  const text = format.render(content);
  await write(text, options.output, format.appends === true ? appendOutput : replaceOutput);
  // CI services read the log on both streams, but stdout has the report and may be redirected to a file
  if (format.log !== undefined && process.env[format.log.variable] === 'true')
    format.log.lines(content).forEach(printNotice);
  return 0;
}

/**
 * `--format atif`: the conversation of a run, or those of all runs of a sweep: as a list, or in a folder as Harbor
 * keeps them, which holds any number.
 *
 * @throws UsageError if there is none, or it cannot be read
 */
async function reportTrajectories(
  resultsPath: string,
  found: Awaited<ReturnType<typeof findById>>,
  output: string | undefined,
  toFolder: boolean,
): Promise<void> {
  const folders = found.kind === 'run' ? [found.folder] : await runsOf(resultsPath, found.plan);
  const all: string[] = [];
  let written = 0;
  for (const folder of folders) {
    const text = trajectoryText(folder);
    if (text === null) continue;
    written += 1;
    if (!toFolder) all.push(text);
    else {
      const own = join(output ?? '', basename(folder));
      await writing(own, async () => {
        await mkdir(own, { recursive: true });
        await writeFileAtomic(join(own, 'trajectory.json'), `${text}\n`);
      });
    }
  }
  if (written === 0) throw new UsageError('nothing_selected', 'no agent took part, so there is no trajectory');
  if (toFolder) printNotice(`report  ${displayPath(resolve(output ?? ''))}: ${written} trajectories`);
  else await write(found.kind === 'run' ? `${all[0]}\n` : `[${all.join(',\n')}]\n`, output, replaceOutput);
}

/** The folders of the runs of a sweep that have ended. Runs whose results were reused are those of other sweeps. */
async function runsOf(resultsPath: string, plan: Plan): Promise<string[]> {
  await bringSweepRuns(resultsPath, plan.sweep);
  const { cells } = await sweepDocument(resultsPath, plan, printNotice);
  return [...new Set(cells.flatMap(({ results_dir: folder }) => folder ?? []))];
}

/** The trajectory of a run as JSON; null if no agent was started, or its folder is gone. */
function trajectoryText(folder: string): string | null {
  const { run: file, events } = runFiles(folder);
  if (!existsSync(file) || !existsSync(events)) return null;
  return JSON.stringify(trajectoryOf(readResultsFile(file, RunRecord), readEvents(events)), null, 2);
}

/** Parentheses and white space would end a link of Markdown. @throws UsageError for what is no address */
function pageOf(url: string, format: FormatName): string {
  if (format !== 'github') throw new UsageError('usage', `--url: the format ${format} has no links to an HTML report`);
  if (!/^https?:\/\/[^\s()<>#]+$/.test(url))
    throw new UsageError('usage', `--url: '${url}' is not an address like https://example.com/report.html`);
  return url;
}

const isFolderAt = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

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

/** @throws UsageError if the path of `--output` cannot be written */
const writing = (path: string, write: () => Promise<void> | void): Promise<void> =>
  orUnwritable(path, `--output ${path}`, write);

/** Checks the path of `--output` before the report is made. @throws UsageError if it cannot be written */
function checkOutput(path: string): void {
  if (!isFolderAt(dirname(path)))
    throw new UsageError('files_unwritable', `--output ${path}: folder ${dirname(path)} does not exist`);
  // Otherwise a file would replace the device or pipe.
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === false)
    throw new UsageError('files_unwritable', `--output ${path}: exists and is not a file`);
}

/** Replaces a file atomically: readers see the old or the new one. @throws UsageError if it cannot be written */
const replaceOutput = (path: string, text: string): Promise<void> =>
  writing(path, () => writeFileAtomic(realOf(path), text));

/** @throws UsageError if the file cannot be written */
const appendOutput = (path: string, text: string): Promise<void> => writing(path, () => appendFileSync(path, text));

/** Follows symlinks, so that the file is replaced and not the link to it. */
const realOf = (path: string): string =>
  statSync(path, { throwIfNoEntry: false }) === undefined ? path : realpathSync(path);
