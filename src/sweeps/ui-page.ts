import type { EngineState } from '#engine';
import type { Outcome } from '#model';
import { WORKFLOWS } from '#protocol';

/** The URL of a workflow in Temporal's Web UI. Null if the UI's address is unknown. */
export function uiPage(engine: Pick<EngineState, 'uiUrl' | 'namespace'>, workflowId: string): string | null {
  const list = listOf(engine);
  return list === null ? null : `${list}/${encodeURIComponent(workflowId)}`;
}

/** A list of workflows in the Web UI. */
export interface SavedQuery {
  title: string;
  /** In the language of Temporal's visibility API. */
  query: string;
  url: string;
}

/** Lists of runs that people look for: those of a sweep, or without one, of all sweeps. Empty if the UI's address is unknown. */
export function savedQueries(
  engine: Pick<EngineState, 'uiUrl' | 'namespace'>,
  sweep: string | null,
): SavedQuery[] {
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
