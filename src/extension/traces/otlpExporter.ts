import { SpanKind, SpanStatusCode, TraceFlags } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import type { Span } from "./attributes.ts";
import type { SpanExporter } from "./traceRecorder.ts";

type ReadableSpan = Parameters<OTLPTraceExporter["export"]>[0][number];

const timeoutMillis = 10_000;
const msPerSecond = 1_000;
const nanosPerMs = 1_000_000;
const scope = { name: "arbor" };
/** Of the library's result. */
const succeeded = 0;

/** Sends spans to an OTLP/HTTP collector. An address without a path means the collector's usual one. */
export function otlpExporter(endpoint: string, version: string): SpanExporter {
  const url = new URL(endpoint);
  if (url.pathname === "/" || url.pathname === "") url.pathname = "/v1/traces";
  const exporter = new OTLPTraceExporter({ url: url.href, timeoutMillis, concurrencyLimit: 2 });
  const resource = resourceFromAttributes({ "service.name": "arbor", "service.version": version });
  return {
    export: (spans) =>
      new Promise((resolve, reject) => {
        exporter.export(
          spans.map((span) => readable(span, resource)),
          ({ code, error }) =>
            code === succeeded ? resolve() : reject(error ?? new Error("the collector refused it")),
        );
      }),
    shutdown: () => exporter.shutdown(),
  };
}

function readable(span: Span, resource: ReadableSpan["resource"]): ReadableSpan {
  const context = (spanId: string) => ({ traceId: span.traceId, spanId, traceFlags: TraceFlags.SAMPLED });
  return {
    name: span.name,
    kind: span.kind === "client" ? SpanKind.CLIENT : SpanKind.INTERNAL,
    spanContext: () => context(span.spanId),
    ...(span.parentSpanId !== undefined && { parentSpanContext: context(span.parentSpanId) }),
    startTime: highResolution(span.startTime),
    endTime: highResolution(span.endTime),
    duration: highResolution(span.endTime - span.startTime),
    status: { code: span.status === "error" ? SpanStatusCode.ERROR : SpanStatusCode.UNSET },
    attributes: span.attributes,
    links: [],
    events: [],
    ended: true,
    resource,
    instrumentationScope: scope,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

/** Seconds, and the nanoseconds beyond them. */
function highResolution(milliseconds: number): [number, number] {
  const seconds = Math.floor(milliseconds / msPerSecond);
  return [seconds, Math.round((milliseconds - seconds * msPerSecond) * nanosPerMs)];
}
