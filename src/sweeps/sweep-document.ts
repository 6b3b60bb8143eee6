import { existsSync } from 'node:fs';
import { buildSweepDocument, isJudged, type SweepDocument, type SweepDocumentInput } from '#decide';
import { readEngineState, serverIsUp, type EngineState } from '#engine';
import { plannedHomes, projectState } from '#host';
import { sweepWorkflowId, WORKFLOWS } from '#protocol';
import type { Plan } from '#scenario';
import { isPaused, storedDecision, storedStatus, summaryFile, withWarnings } from '#store';
import type { Outcome, ResultDigest } from '#model';
import { knownReviews } from './known-reviews.js';
import { reviewReader, withCalibration, type ReviewReader } from './judged-runs.js';
import { readDigestedLog } from './read-records.js';

/** The URL of a workflow in Temporal's Web UI. Null if the UI's address is unknown, or there is no workflow. */
export function uiPage(engine: Pick<EngineState, 'uiUrl' | 'namespace'>, workflowId: string): string | null {
  const list = listOf(engine);
  return list === null || workflowId === '' ? null : `${list}/${encodeURIComponent(workflowId)}`;
}

/** A list of workflows in the Web UI. */
export interface SavedQuery {
  title: string;
  /** In the language of Temporal's visibility API. */
  query: string;
  url: string;
}

/**
 * Lists of runs that people look for: those of a sweep, or without one, of all sweeps. Empty if the UI's address is
 * unknown.
 */
export function savedQueries(engine: Pick<EngineState, 'uiUrl' | 'namespace'>, sweep: string | null): SavedQuery[] {
  const list = listOf(engine);
  if (list === null) return [];
  const of = sweep === null ? `WorkflowType = "${WORKFLOWS.run}"` : `SweepId = "${sweep}"`;
  return QUERIES.map(([title, outcome]) => {
    const query = `${of} AND Outcome = "${outcome}"`;
    return { title, query, url: `${list}?query=${encodeURIComponent(query)}` };
  });
}

const QUERIES: readonly (readonly [title: string, outcome: Outcome | 'running'])[] = [
  ['failed runs', 'fail'],
  ['runs with errors', 'error'],
  ['open runs', 'running'],
];

function listOf({ uiUrl, namespace }: Pick<EngineState, 'uiUrl' | 'namespace'>): string | null {
  return uiUrl === null ? null : `${uiUrl}/namespaces/${encodeURIComponent(namespace)}/workflows`;
}

const workflowOf = ({ sweep, imported }: Plan): string => (imported === undefined ? sweepWorkflowId(sweep) : '');

/** Builds the document of a sweep from its plan, and what became of it. */
export const documentOfPlan = (
  plan: Plan,
  found: Pick<SweepDocumentInput, 'uiUrl' | 'status' | 'decided' | 'results' | 'resultsPath'>,
): SweepDocument =>
  buildSweepDocument({
    owner: plan.owner,
    sweep: plan.sweep,
    workflowId: workflowOf(plan),
    maxUsd: plan.max_usd,
    cells: plan.cells,
    untilClear: plan.until_clear,
    live: plan.live === true,
    scenarios: plan.scenarios,
    ...found,
  });

/**
 * Builds the document of a sweep from its files: the summary says whether it has ended, the log has the results, and
 * evaluation.md of each run has the human review.
 */
export const sweepDocument = async (
  resultsPath: string,
  plan: Plan,
  warn: (text: string) => void,
): Promise<SweepDocument> => (await sweepWithResults(resultsPath, plan, warn)).document;

/** The same, with the results that it was made from: they say more about each run. */
export async function sweepWithResults(
  resultsPath: string,
  plan: Plan,
  warn: (text: string) => void,
): Promise<{ document: SweepDocument; results: readonly ResultDigest[] }> {
  const summary = summaryFile(resultsPath, plan.sweep);
  // Where the state would be: reading results must not create it.
  const engine = await readEngineState(projectState(resultsPath, plannedHomes().state).folder);
  const results = readDigestedLog(resultsPath, warn, (line) => line.sweep === plan.sweep || isJudged(line));
  const document = documentOfPlan(plan, {
    // An engine that has stopped serves no page.
    uiUrl: engine === null || !serverIsUp(engine) ? null : uiPage(engine, workflowOf(plan)),
    status: existsSync(summary)
      ? storedStatus(resultsPath, plan.sweep)
      : isPaused(resultsPath, plan.sweep)
        ? 'paused'
        : 'running',
    decided: plan.until_clear === undefined ? null : storedDecision(resultsPath, plan.sweep),
    results,
    resultsPath,
  });
  const reviewOf = reviewReader(resultsPath, results, warn);
  const reviewed = addReviews(withWarnings(document, results), reviewOf);
  const calibrated = withCalibration(reviewed, resultsPath, results, reviewOf);
  knownReviews(resultsPath).save();
  return { document: calibrated, results };
}

/** Adds the human reviews to the cells of a sweep. Cells that share a run share its review. */
function addReviews(document: SweepDocument, reviewOf: ReviewReader): SweepDocument {
  const cells = document.cells.map((cell) => {
    const human = cell.results_dir === null ? null : reviewOf(cell.results_dir);
    return human === null ? cell : { ...cell, human };
  });
  return { ...document, cells };
}
