/** One step of a run. Names of attributes follow the OpenTelemetry conventions for generative AI. */
export interface Span {
  /** 32 hexadecimal digits. */
  traceId: string;
  /** 16 hexadecimal digits. */
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: "internal" | "client";
  /** Milliseconds since the epoch. */
  startTime: number;
  endTime: number;
  attributes: SpanAttributes;
  status: "unset" | "error";
}

export type SpanAttributes = Record<string, string | number | boolean | string[]>;
