import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { displayPath, linesOf } from '#host';
import { createYielder, isJsonObject, parseJson, UsageError } from '#lib';
import { Metrics as MetricsSchema, RunRecord as RunRecordSchema } from '#model';
import { readResultsFile, runFiles } from '#store';
import { findById } from '#sweeps';
import type { Metrics, RunEvent, RunRecord } from './documents.js';
import { textOf, withResultsErrors } from './errors.js';

/** A run: what `show <run> --json` prints, and what its agent did. */
export interface Run {
  /** Absolute path of its folder. */
  folder: string;
  /** run.json: what ran, where, with which inputs, and how it ended. */
  run: RunRecord;
  /** metrics.json: gates and scores. */
  metrics: Metrics;
  /**
   * The work of the agent, event by event, read while you iterate. Empty if it was not started. May be called again.
   *
   * @throws ResultsError if a line of events.jsonl cannot be read
   */
  events(): AsyncIterable<RunEvent>;
}

/** A run: its id, a unique prefix of it, or the cell of a sweep. */
export type RunReference = string | { results_dir: string | null };

/**
 * Reads a run.
 *
 * @param results the results folder
 * @throws ResultsError if there is no such run, or its files cannot be read
 */
export const readRun = (results: string, run: RunReference): Promise<Run> =>
  withResultsErrors(async () => {
    const id = idOf(run);
    const found = await findById(resolve(textOf('results', results)), id);
    if (found.kind === 'sweep') throw new UsageError('unknown_id', `'${id}' is a sweep, not a run`);
    const files = runFiles(found.folder);
    return {
      folder: found.folder,
      run: readResultsFile(files.run, RunRecordSchema),
      metrics: readResultsFile(files.metrics, MetricsSchema),
      events: () => eventsIn(files.events),
    };
  });

function idOf(run: RunReference): string {
  if (typeof run !== 'object' || (run as unknown) === null) return textOf('run', run);
  if (run.results_dir === null) throw new UsageError('unknown_id', 'this cell has no run');
  return basename(textOf('run.results_dir', run.results_dir));
}

async function* eventsIn(file: string): AsyncGenerator<RunEvent> {
  const yieldIfDue = createYielder();
  const lines = existsSync(file) ? linesOf(file, Infinity) : [];
  let number = 0;
  for (const { text } of lines) {
    number += 1;
    await yieldIfDue();
    yield await withResultsErrors(() => eventIn(text, `${displayPath(file)}:${number}`));
  }
}

function eventIn(text: string, place: string): RunEvent {
  const event = parseJson(text);
  if (!isJsonObject(event) || typeof event['type'] !== 'string')
    throw new UsageError('results_broken', `${place} cannot be read: it is not an event`);
  return event as unknown as RunEvent;
}
