import { namedCollector } from './collector.js';
import type { Traces } from './create-traces.js';

/** Returns what sends traces to the collector that is named, if one is: only then it loads OpenTelemetry's packages. */
export async function tracesOf(
  env: NodeJS.Dict<string>,
  log: (line: string) => void,
): Promise<Traces | undefined> {
  const collector = namedCollector(env);
  if (collector === null) return undefined;
  return (await import('./create-traces.js')).createTraces(collector, log);
}
