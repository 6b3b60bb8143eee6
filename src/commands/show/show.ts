import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { printNotice, printSweep, screen, printJson, textOptions } from '../shared/output.js';
import { once } from 'node:events';
import { openRunsIn, reasonText } from '#client';
import { type CellFilter, isFilter, NAMED, selectCells, type SweepDocument } from '#decide';
import { displayPath, projectState } from '#host';
import { defined, suggest, UsageError } from '#lib';
import { judgedIn, Metrics, NO_USAGE, RunRecord } from '#model';
import { openProject } from '#planning';
import { renderHumanTranscript, renderRun } from '#reports';
import type { Plan } from '#scenario';
import { bringRuns, readEvents, readResultsFile, runFiles } from '#store';
import {
  bringSweepRuns,
  FEW_RUNS,
  findById,
  type SweepOrRun,
  hasEnded,
  readReview,
  sweepDocument,
  tryReadActionLog,
} from '#sweeps';
import type { troublesNow } from './troubles.js';

export interface ShowOptions extends CellFilter {
  all: boolean;
  transcript: boolean;
  /** Show what happens until it is over. */
  follow?: boolean;
  json: boolean;
  results?: string;
}

/** `show`: prints a sweep or a run, using only the files. */
export async function show(id: string, options: ShowOptions): Promise<number> {
  if (options.follow === true) {
    const { followById } = await import('./follow.js');
    const followed = await followById(id, options);
    return followed === null ? 130 : show(followed, { ...options, follow: false });
  }
  const { all, transcript, json } = options;
  const { resultsPath } = openProject(options.results);
  const found = await findEnded(resultsPath, id);
  if (found.kind === 'sweep') {
    await bringSweepRuns(resultsPath, found.plan.sweep, FEW_RUNS);
    const whole = await sweepDocument(resultsPath, found.plan, printNotice);
    checkNames(whole, options);
    const document = selectCells(whole, options);
    if (transcript) await showTranscript(await broughtRun(resultsPath, onlyRun(document)), json);
    else printSweep(document, json, screen(all));
    await sayWaits(resultsPath, found.plan);
    return 0;
  }
  if (isFilter(options)) throw new UsageError('usage', `'${id}' is a run: only the cells of a sweep can be selected`);
  await (transcript ? showTranscript(found.folder, json) : showRun(found.folder, { all, json }));
  return 0;
}

/** Says what an open sweep cannot do at present, and what its open runs on this machine wait for. */
async function sayWaits(resultsPath: string, plan: Plan): Promise<void> {
  const { sweep } = plan;
  if (!hasEnded(resultsPath, plan)) (await troublesOf(resultsPath, sweep)).forEach(printNotice);
  const open = openRunsIn(projectState(resultsPath).folder);
  const why = reasonText(open.filter((run) => run.sweep === sweep && run.reason !== null));
  if (why !== null) printNotice(why);
}

/** Its client of Temporal takes longer to load than most results take to read. */
const troublesOf = async (...asked: Parameters<typeof troublesNow>): Promise<string[]> =>
  (await import('./troubles.js')).troublesNow(...asked);

/** Returns the folder of a run, which may have to be brought from another host. */
async function broughtRun(resultsPath: string, folder: string): Promise<string> {
  await bringRuns(resultsPath, [basename(folder)]);
  return folder;
}

/** Like `findById`, but says what hinders a run that is still going on, and how to see it: it has no records yet. */
async function findEnded(resultsPath: string, id: string): Promise<SweepOrRun> {
  try {
    return await findById(resultsPath, id);
  } catch (error) {
    const open = openRunsIn(projectState(resultsPath).folder).find(({ run }) => id !== '' && run.startsWith(id));
    if (open === undefined || !(error instanceof UsageError)) throw error;
    const { workspace } = runFiles(join(resultsPath, open.run));
    const where = existsSync(workspace) ? `; its workspace is ${displayPath(workspace)}` : '';
    (await troublesOf(resultsPath, open.sweep, open.workflowId)).forEach(printNotice);
    throw new UsageError('unknown_id', `${open.run} is not over; add --follow to see what its agent does${where}`);
  }
}

/** @throws UsageError if a filter has a name that no cell of the sweep has */
function checkNames({ cells }: SweepDocument, filter: CellFilter): void {
  for (const [list, field] of NAMED)
    checkKnown(
      filter[list],
      field,
      cells.map((cell) => cell[field]),
    );
  checkKnown(
    filter.labels,
    'label',
    cells.flatMap(({ human }) => human?.labels ?? []),
  );
}

function checkKnown(names: readonly string[], what: string, all: readonly string[]): void {
  const known = [...new Set(all)];
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const near = suggest(unknown, known);
  const has = known.length === 0 ? 'it has none' : `it has ${known.join(', ')}`;
  const hint = near === null ? has : `did you mean '${near}'?`;
  throw new UsageError('nothing_selected', `no cell of the sweep has the ${what} '${unknown}'; ${hint}`);
}

const MAX_NAMED = 10;

/** Returns the folder of the run of the only selected cell. @throws UsageError if there are several runs, or none */
function onlyRun({ cells }: SweepDocument): string {
  const folders = [...new Set(cells.flatMap(({ results_dir: folder }) => folder ?? []))];
  const [only] = folders;
  if (only === undefined) throw new UsageError('usage', '--transcript: no selected cell has a run');
  if (folders.length === 1) return only;
  const more = folders.length - MAX_NAMED;
  const named = folders.slice(0, MAX_NAMED).map((folder) => `  ${basename(folder)}`);
  throw new UsageError(
    'usage',
    [
      `--transcript needs a single run; ${folders.length} are selected:`,
      ...named,
      ...(more > 0 ? [`  and ${more} more`] : []),
    ].join('\n'),
  );
}

/** Prints a run: its records, and what its agent did. */
async function showRun(folder: string, { all, json }: { all: boolean; json: boolean }): Promise<void> {
  const files = runFiles(folder);
  const run = readResultsFile(files.run, RunRecord);
  const metrics = readResultsFile(files.metrics, Metrics);
  const human = readReview(folder, judgedIn(metrics), printNotice);
  if (json) {
    printJson({ run, metrics, ...defined({ human }) });
    return;
  }
  const actionLog = await tryReadActionLog(files.events, run);
  process.stdout.write(
    renderRun(run, metrics, { ...textOptions(), ...screen(all), human, resultsDir: folder, actionLog }),
  );
}

/**
 * Prints the whole conversation of a run, or its events as JSON.
 *
 * @throws UsageError if they cannot be read
 */
async function showTranscript(folder: string, json: boolean): Promise<void> {
  const files = runFiles(folder);
  const run = readResultsFile(files.run, RunRecord);
  const { agent, scenario } = run;
  const exists = existsSync(files.events);
  if (!exists && agent !== null) throw new UsageError('results_broken', `${displayPath(files.events)} does not exist`);
  if (json) {
    printJson({ run_id: run.run_id, events: exists ? [...readEvents(files.events)] : [] });
    return;
  }
  if (!exists) {
    const why = scenario.prompt === null ? 'no agent took part' : 'the agent was not started';
    process.stdout.write(`no transcript: ${why}\n`);
    return;
  }
  const head = {
    scenario: scenario.name,
    agent: run.agent_name,
    model: run.model,
    prompt: scenario.prompt ?? '',
    used: agent ?? { token_usage: NO_USAGE, cost_usd: null },
  };
  for (const piece of renderHumanTranscript(head, readEvents(files.events), { whole: true }))
    if (!process.stdout.write(piece)) await once(process.stdout, 'drain');
}
