import type { NamedCollector, Traces } from './create-traces.js';

/** Returns what sends traces to the collector that is named, if one is: only then it loads OpenTelemetry's packages. */
export async function tracesOf(env: NodeJS.Dict<string>, log: (line: string) => void): Promise<Traces | undefined> {
  const collector = namedCollector(env);
  if (collector === null) return undefined;
  return (await import('./create-traces.js')).createTraces(collector, log);
}

/** Returns the collector that these variables name; null if they name none, or say that nothing is to be sent. */
export function namedCollector(env: NodeJS.Dict<string>): NamedCollector | null {
  const endpoint = env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] ?? env['OTEL_EXPORTER_OTLP_ENDPOINT'];
  const exporters = env['OTEL_TRACES_EXPORTER'] ?? 'otlp';
  if (!endpoint || env['OTEL_SDK_DISABLED'] === 'true' || !exporters.split(',').includes('otlp')) return null;
  return {
    endpoint,
    protocol: env['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'] ?? env['OTEL_EXPORTER_OTLP_PROTOCOL'] ?? 'http/protobuf',
    withContent: env['OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT'] === 'true',
  };
}
