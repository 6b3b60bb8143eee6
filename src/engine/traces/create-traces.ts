import { createHash } from 'node:crypto';
import { ExportResultCode, millisToHrTime, type ExportResult } from '@opentelemetry/core';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { SpanKind, SpanStatusCode, TraceFlags, type SpanContext } from '@opentelemetry/api';
import { detectResources, envDetector, resourceFromAttributes, type Resource } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import type { Span } from '#lib';

/** The collector of traces that OpenTelemetry's standard variables name. */
export interface NamedCollector {
  endpoint: string;
  protocol: string;
  /** True to send arguments and results of tools, which may be long and confidential. */
  withContent: boolean;
}

/** Sends traces to the collector that OpenTelemetry's standard variables name. */
export interface Traces {
  /** See `NamedCollector.withContent`. */
  withContent: boolean;
  /**
   * Sends the trace of a run in the background. Traces are no results: one that cannot be sent is given up, with a
   * warning. Sent again, it has the same ids.
   */
  send: (run: string, spans: readonly Span[]) => void;
  /** Waits until everything is sent or given up. */
  close: () => Promise<void>;
}

/**
 * Returns what sends traces to this collector; undefined if its protocol is not supported. The exporter itself reads
 * the standard variables for headers, timeout and compression. `warn` is called with one line if traces cannot be sent,
 * and again only after one could be.
 */
export function createTraces(
  { endpoint, protocol, withContent }: NamedCollector,
  warn: (line: string) => void,
): Traces | undefined {
  if (protocol !== 'http/protobuf' && protocol !== 'http/json') {
    warn(
      `no traces are sent: the protocol ${protocol} is not supported; set OTEL_EXPORTER_OTLP_PROTOCOL to http/protobuf`,
    );
    return undefined;
  }
  const exporter = protocol === 'http/json' ? new JsonExporter() : new ProtobufExporter();
  const resource = resourceFromAttributes({ 'service.name': 'llm-tool-test' }).merge(
    detectResources({ detectors: [envDetector] }),
  );
  let isFailing = false;
  const onSent = ({ code, error }: ExportResult): void => {
    const hasFailed = code !== ExportResultCode.SUCCESS;
    if (hasFailed && !isFailing) warn(`traces cannot be sent to ${endpoint}: ${error?.message ?? 'unknown'}`);
    isFailing = hasFailed;
  };
  return {
    withContent,
    send(run, spans) {
      exporter.export(
        spans.map((span) => readable(run, span, resource)),
        onSent,
      );
    },
    close: () => exporter.shutdown(),
  };
}

function readable(run: string, span: Span, resource: Resource): ReadableSpan {
  const { name, key, parent, startedAt, endedAt, attributes, events, error } = span;
  const context = (of: string): SpanContext => ({
    traceId: idOf(run, 32),
    spanId: idOf(`${run}\n${of}`, 16),
    traceFlags: TraceFlags.SAMPLED,
  });
  return {
    name,
    kind: SpanKind.INTERNAL,
    spanContext: () => context(key),
    ...(parent === null ? {} : { parentSpanContext: context(parent) }),
    startTime: millisToHrTime(startedAt),
    endTime: millisToHrTime(endedAt),
    duration: millisToHrTime(endedAt - startedAt),
    ended: true,
    status: error === null ? { code: SpanStatusCode.UNSET } : { code: SpanStatusCode.ERROR, message: error },
    attributes,
    events: events.map((event) => ({
      name: event.name,
      time: millisToHrTime(event.at),
      attributes: event.attributes,
    })),
    links: [],
    resource,
    instrumentationScope: { name: 'llm-tool-test' },
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

/** Hexadecimal digits that differ for other texts, and are the same whenever a trace is sent again. */
const idOf = (text: string, digits: number): string => createHash('sha256').update(text).digest('hex').slice(0, digits);
