import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { editableReview, type EditableReview, saveReview } from '#client';
import { displayPath } from '#host';
import { shellWord, UsageError } from '#lib';
import { configurationOf, type Judged, judgedIn, Metrics, type ResultDigest, ReviewFields, RunRecord } from '#model';
import { runFacts } from '#reports';
import { EffectiveScenario, findAgentStep } from '#scenario';
import { readResultsFile, resultsIndex, runFiles, scenarioFile } from '#store';
import { findById, findPlan, readReview } from '#sweeps';
import type { EndedRunAnswer, OpenRunAnswer, RunAnswer, Sibling } from '../protocol.js';
import type { EngineView } from './engine.js';

export interface RunSource {
  resultsPath: string;
  engine: EngineView;
}

/** Where a run is: one that is not over, or the folder of one that is. */
export type Place = { open: ReturnType<EngineView['openRuns']>[number] } | { folder: string };

/** Finds a run by its id. @throws UsageError if there is none */
export async function findRun({ resultsPath, engine }: RunSource, id: string): Promise<Place> {
  const open = engine.openRuns().find(({ run }) => run === id);
  if (open !== undefined && !existsSync(runFiles(join(resultsPath, id)).run)) return { open };
  const found = await findById(resultsPath, id);
  if (found.kind === 'run') return { folder: found.folder };
  throw new UsageError('unknown_id', `'${id}' is a sweep`);
}

/** Reads what is known of a run. @throws UsageError if there is none, or it cannot be read */
export async function answerForRun(source: RunSource, id: string): Promise<RunAnswer> {
  const place = await findRun(source, id);
  return 'open' in place ? openRun(source, place.open) : endedRun(source, place.folder);
}

/**
 * Composes the answer about a run that is over. `workspace`: a command that goes to what is left of its workspace; null
 * if nothing is, or it must not be named.
 */
export const ended = (
  records: Pick<EndedRunAnswer, 'run' | 'metrics'>,
  { workspace, ...more }: Pick<EndedRunAnswer, 'human' | 'siblings' | 'uiUrl'> & { workspace: string | null },
): EndedRunAnswer => ({
  state: 'ended',
  ...records,
  facts: runFacts('page', { ...records, actionLog: null }),
  ...more,
  commands: [
    ...commandsAbout(records.run),
    ...(workspace === null ? [] : [{ title: 'Go to its workspace', command: workspace }]),
  ],
});

/** Commands that work wherever the results are. */
function commandsAbout({ sweep, cell, run_id: id, workflow_id: workflow }: RunRecord): EndedRunAnswer['commands'] {
  const command = (...words: string[]): string => ['llm-tool-test', ...words.map(shellWord)].join(' ');
  return [
    ...(workflow === ''
      ? []
      : [
          { title: 'Run the same cell again', command: command('retry', sweep, '--cell', cell) },
          { title: 'Check its work again', command: command('regrade', id) },
        ]),
    { title: 'Read it in the terminal', command: command('show', id, '--all') },
  ];
}

async function endedRun({ resultsPath, engine }: RunSource, folder: string): Promise<EndedRunAnswer> {
  const files = runFiles(folder);
  const run = readResultsFile(files.run, RunRecord);
  const metrics = readResultsFile(files.metrics, Metrics);
  const human = readReview(folder, judgedIn(metrics), () => undefined);
  const siblings = siblingsOf(resultsPath, run);
  const workspace = existsSync(files.fixture) ? `cd ${shellWord(displayPath(files.fixture))}` : null;
  return ended({ run, metrics }, { human, siblings, uiUrl: await engine.page(run.workflow_id), workspace });
}

async function openRun(
  { resultsPath, engine }: RunSource,
  { run, sweep, cell, workflowId }: Extract<Place, { open: unknown }>['open'],
): Promise<OpenRunAnswer> {
  const { scenarios } = findPlan(resultsPath, sweep);
  const planned = scenarios.find(({ name, variant }) => name === cell.scenario && variant === cell.variant);
  const stored =
    planned === undefined ? null : readResultsFile(scenarioFile(resultsPath, planned.hash), EffectiveScenario).scenario;
  return {
    state: 'open',
    run,
    sweep,
    cell,
    description: stored?.description ?? '',
    prompt: stored === null ? null : (findAgentStep(stored)?.prompt ?? null),
    uiUrl: await engine.page(workflowId),
    engine: await engine.isUp(),
  };
}

/** The repetitions of a run's configuration, by number. Reused results have no folder of their own. */
function siblingsOf(resultsPath: string, { sweep, cell }: RunRecord): Sibling[] {
  const configuration = configurationOf(cell);
  const last = new Map<string, ResultDigest>();
  for (const line of resultsIndex(resultsPath).digests().results)
    if (line.sweep === sweep && configurationOf(line.cell) === configuration) last.set(line.cell, line);
  return [...last.values()]
    .filter(({ cached_from: from }) => from === null)
    .map(({ id, outcome, repetition }) => ({ run: id, outcome, repetition }))
    .sort((a, b) => a.repetition - b.repetition);
}

const SavedReview = z.strictObject({ version: z.string(), fields: ReviewFields });

/** Reads the review of a run for a form. @throws UsageError if there is no such run, or it is not over */
export async function reviewOf(source: RunSource, id: string): Promise<EditableReview> {
  const { folder, judged } = await reviewedRun(source, id);
  return editableReview(folder, judged);
}

/** Saves what was filled in; see `saveReview`. @throws UsageError if that is impossible */
export async function storeReview(
  source: RunSource,
  id: string,
  body: unknown,
): Promise<{ saved: boolean; review: EditableReview }> {
  const { folder, judged } = await reviewedRun(source, id);
  const read = SavedReview.safeParse(body);
  if (!read.success) throw new UsageError('usage', z.prettifyError(read.error));
  return saveReview(folder, judged, read.data);
}

async function reviewedRun(source: RunSource, id: string): Promise<{ folder: string; judged: Judged }> {
  const place = await findRun(source, id);
  if ('open' in place) throw new UsageError('usage', 'the run is not over; review it when it is');
  const { folder } = place;
  return { folder, judged: judgedIn(readResultsFile(runFiles(folder).metrics, Metrics)) };
}
