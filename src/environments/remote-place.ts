import type { EnvironmentHandle } from './environment.js';

/** The name of a place that is not a folder of this machine, and how a person can remove it. */
export interface RemotePlace {
  name: string;
  remedy: string;
}

/** Describes a place that does not share the host; null if it does. */
export function remotePlace({ container, sandbox, pod }: EnvironmentHandle): RemotePlace | null {
  if (sandbox !== undefined)
    return {
      name: `E2B sandbox of ${sandbox.name}`,
      remedy: `end the sandbox whose metadata llm-tool-test is ${sandbox.name} (e2b sandbox list, e2b sandbox kill ID)`,
    };
  if (pod !== undefined) {
    const { name, context, namespace } = pod;
    const where = `${context === undefined ? '' : ` --context ${context}`}${namespace === undefined ? '' : ` --namespace ${namespace}`}`;
    return { name: `Kubernetes pod ${name}`, remedy: `kubectl${where} delete pod ${name}` };
  }
  if (container === undefined) return null;
  const { command, name } = container;
  return { name: `${command} container ${name}`, remedy: `${command} rm --force --volumes ${name}` };
}
