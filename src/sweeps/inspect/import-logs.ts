import { existsSync, rmSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { createFolderOnce, displayPath } from '#host';
import { safeName, sha256, UsageError } from '#lib';
import {
  type Cell,
  createActionCollector,
  createPricer,
  DEFAULT_VARIANT,
  resultOfRun,
  type ResultLine,
  SCHEMA_VERSION,
} from '#model';
import { renderEvaluation, renderHumanTranscript, renderReport } from '#reports';
import { cellOf, type Plan } from '#scenario';
import {
  appendLines,
  planFile,
  resultsIndex,
  resultsLog,
  runFiles,
  sharedProjectOf,
  summaryFile,
  withWarnings,
} from '#store';
import { documentOfPlan } from '../sweep-document.js';
import type { Header, Sample } from './log-schema.js';
import { type InspectLog, openInspectLog } from './read-log.js';
import { recordsOfSample } from './sample-records.js';

/** The sweep that logs have become. `isNew`: false if it was there already. */
interface Imported {
  sweep: string;
  runs: number;
  isNew: boolean;
}

/**
 * Writes the samples of logs of Inspect as the runs of one sweep: each log with its model and its solver as the agent,
 * each sample as a scenario, each epoch as a repetition. The same logs become the same sweep, so an interrupted import
 * can be repeated.
 *
 * @throws UsageError if a log or a sample cannot be read; then there is no sweep
 */
export async function importInspectLogs(resultsPath: string, paths: readonly string[]): Promise<Imported> {
  if ((await sharedProjectOf(resultsPath)) !== null)
    throw new UsageError(
      'shared_results',
      'logs of Inspect cannot be imported into shared results; name another folder',
    );
  const logs: InspectLog[] = [];
  try {
    for (const path of paths) logs.push(await openInspectLog(path));
    logs.sort((a, b) => Date.parse(a.header.eval.created) - Date.parse(b.header.eval.created));
    return await writeSweep(resultsPath, logs);
  } finally {
    for (const log of logs) log.close();
  }
}

async function writeSweep(resultsPath: string, logs: readonly InspectLog[]): Promise<Imported> {
  const ids = logs.map(({ header: { eval: of } }) => `${of.eval_id ?? of.run_id}/${of.task_id}/${of.created}`);
  const tasks = [...new Set(logs.map(({ header }) => header.eval.task))];
  const sweep = `${safeName(`inspect-${tasks.join('-')}`)}-${sha256(ids.join('\n')).slice(0, 12)}`;
  const known = (): ResultLine[] => resultsIndex(resultsPath).linesOfSweep(sweep);
  if (existsSync(planFile(resultsPath, sweep))) return { sweep, runs: known().length, isNew: false };
  await mkdir(resultsPath, { recursive: true });
  const runs = await writeRuns(resultsPath, sweep, logs);
  const results = runs.map(({ line }) => line);
  const plan = planOf(sweep, logs, runs);
  const lines = new Set(known().map(({ id }) => id));
  const lacking = results.filter(({ id }) => !lines.has(id));
  await appendLines(resultsLog(resultsPath), () => lacking.map((line) => JSON.stringify(line)));
  const document = documentOfPlan(plan, { uiUrl: null, status: 'completed', results, resultsPath });
  // Last, because it makes the sweep known.
  await createFolderOnce(dirname(planFile(resultsPath, sweep)), async (temporary) => {
    await writeFile(join(temporary, basename(planFile(resultsPath, sweep))), json(plan));
    await writeFile(join(temporary, basename(summaryFile(resultsPath, sweep))), json(withWarnings(document, results)));
  });
  return { sweep, runs: results.length, isNew: true };
}

/** A sample whose files are written. */
interface WrittenRun {
  cell: Cell;
  scenario: Plan['scenarios'][number];
  line: ResultLine;
}

/** Writes the files of all samples, or of none. */
async function writeRuns(resultsPath: string, sweep: string, logs: readonly InspectLog[]): Promise<WrittenRun[]> {
  const written: WrittenRun[] = [];
  const taken = new Set<string>();
  const pricer = await createPricer({});
  try {
    for (const { header, file, samples } of logs) {
      for await (const sample of samples()) {
        const cell = freeCell(header, sample, taken);
        taken.add(cell.id);
        const about = { sweep, run: `${sweep}-${written.length + 1}`, cell, file: displayPath(file) };
        const found = recordsOfSample(header, sample, about, pricer);
        const line = {
          ...resultOfRun(found.record, found.metrics),
          duration_secs: sample.total_time ?? null,
          cost_usd: found.costUsd,
          attempts: 1,
        };
        const { hash } = found.record.scenario;
        written.push({
          cell,
          line,
          scenario: { name: cell.scenario, variant: cell.variant, file: about.file, path: file, hash },
        });
        await writeRun(join(resultsPath, about.run), found);
      }
    }
    if (written.length === 0) throw new UsageError('usage', 'there are no samples in these logs; nothing was written');
    return written;
  } catch (error) {
    for (const { line } of written) rmSync(join(resultsPath, line.id), { recursive: true, force: true });
    throw error;
  }
}

const planOf = (sweep: string, [first]: readonly InspectLog[], runs: readonly WrittenRun[]): Plan => ({
  sweep,
  created_at: new Date(first?.header.eval.created ?? 0).toISOString(),
  schema_version: SCHEMA_VERSION,
  imported: 'inspect',
  concurrency: 1,
  scenarios: [...new Map(runs.map(({ scenario }) => [scenario.name, scenario])).values()],
  agents: {},
  providers: {},
  cache: false,
  caps: { agents: {}, models: {} },
  max_usd: null,
  prices: {},
  cells: runs.map(({ cell }) => cell),
  project: null,
  sandbox: { required: false, allow_loopback: [] },
  hidden: [],
});

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/**
 * The cell of a sample, whose agent is the solver that the evaluation was started with, or those of its task. If
 * several logs have the same cell, the later ones are further repetitions.
 */
function freeCell({ eval: of, plan }: Header, { id, epoch }: Sample, taken: ReadonlySet<string>): Cell {
  const steps = (plan?.steps ?? []).map(({ solver }) => solver).join('+');
  const agent = of.solver ?? (steps === '' ? 'inspect' : steps);
  for (let repetition = epoch; ; repetition++) {
    const cell = cellOf({ scenario: `${of.task}/${id}`, agent, model: of.model, variant: DEFAULT_VARIANT, repetition });
    if (!taken.has(cell.id)) return cell;
  }
}

async function writeRun(
  folder: string,
  { record, metrics, events }: ReturnType<typeof recordsOfSample>,
): Promise<void> {
  const collector = createActionCollector(false);
  for (const event of events) collector.add(event);
  const actionLog = collector.end();
  const { scenario, agent_name: agent, model } = record;
  const head = { scenario: scenario.name, agent, model, prompt: scenario.prompt ?? '' };
  await createFolderOnce(folder, async (temporary) => {
    const files = runFiles(temporary);
    await mkdir(files.artifacts);
    for (const [file, text] of [
      [files.events, events.map((event) => `${JSON.stringify(event)}\n`).join('')],
      [
        files.humanTranscript,
        record.agent === null ? '' : [...renderHumanTranscript({ ...head, used: record.agent }, events)].join(''),
      ],
      [files.run, json(record)],
      [files.metrics, json(metrics)],
      [files.evaluation, renderEvaluation(record, metrics)],
      [files.report, renderReport(record, metrics, actionLog)],
    ] as const)
      await writeFile(file, text);
  });
}
