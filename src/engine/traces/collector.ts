/** The collector of traces that OpenTelemetry's standard variables name. */
export interface NamedCollector {
  endpoint: string;
  protocol: string;
  /** Whether arguments and results of tools are wanted, which may be long and confidential. */
  withContent: boolean;
}

/** Returns the collector that these variables name; null if they name none, or say that nothing is to be sent. */
export function namedCollector(env: NodeJS.Dict<string>): NamedCollector | null {
  const endpoint = env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] ?? env['OTEL_EXPORTER_OTLP_ENDPOINT'];
  const exporters = env['OTEL_TRACES_EXPORTER'] ?? 'otlp';
  if (!endpoint || env['OTEL_SDK_DISABLED'] === 'true' || !exporters.split(',').includes('otlp')) return null;
  return {
    endpoint,
    protocol:
      env['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'] ?? env['OTEL_EXPORTER_OTLP_PROTOCOL'] ?? 'http/protobuf',
    withContent: env['OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT'] === 'true',
  };
}
