/** A value of an attribute, in the terms of OpenTelemetry. */
type AttributeValue = string | number | boolean;
export type Attributes = Record<string, AttributeValue>;

/** Something that happened in a span. */
export interface SpanEvent {
  name: string;
  /** ms since the epoch */
  at: number;
  attributes: Attributes;
}

/** A part of a run, as OpenTelemetry describes it. The first span of a trace is the run itself. */
export interface Span {
  name: string;
  /** Unique in the trace; the ids that are sent are derived from it. */
  key: string;
  /** The key of the span that contains this one; null for the run. */
  parent: string | null;
  /** ms since the epoch */
  startedAt: number;
  endedAt: number;
  attributes: Attributes;
  events: SpanEvent[];
  /** The reason why it counts as failed; null if it does not. */
  error: string | null;
}
