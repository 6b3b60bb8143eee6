import type { EngineState } from '../platform/engine/engine-state.js';

/** The URL of a workflow in Temporal's Web UI. Null if the UI's address is unknown. */
export function uiPage(engine: Pick<EngineState, 'uiUrl' | 'namespace'>, workflowId: string): string | null {
  return engine.uiUrl === null
    ? null
    : `${engine.uiUrl}/namespaces/${encodeURIComponent(engine.namespace)}/workflows/${encodeURIComponent(workflowId)}`;
}
