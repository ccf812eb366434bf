import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Span } from "../../../src/extension/traces/attributes.ts";
import { otlpExporter } from "../../../src/extension/traces/otlpExporter.ts";
import { SpanSender } from "../../../src/extension/traces/traceRecorder.ts";

const span = (index: number): Span => ({
  traceId: "a".repeat(32),
  spanId: String(index).padStart(16, "0"),
  ...(index > 0 && { parentSpanId: "0".repeat(16) }),
  name: `span ${index}`,
  kind: index === 0 ? "internal" : "client",
  startTime: 1_700_000_000_123,
  endTime: 1_700_000_001_000,
  attributes: { "gen_ai.usage.input_tokens": 7, "gen_ai.response.finish_reasons": ["stop"] },
  status: index === 0 ? "unset" : "error",
});

interface Collector {
  endpoint: string;
  received: { path: string; type: string; body: string }[];
  status: number;
  close(): Promise<void>;
}

async function collector(): Promise<Collector> {
  const state: Pick<Collector, "received" | "status"> = { received: [], status: 200 };
  const server: Server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      state.received.push({ path: request.url ?? "", type: request.headers["content-type"] ?? "", body });
      response.writeHead(state.status, { "content-type": "application/json" }).end("{}");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A server that listens on a port has an address of this form.
  const { port } = server.address() as AddressInfo;
  return Object.assign(state, {
    endpoint: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  });
}

function senderTo(endpoint: () => string) {
  const warnings: string[] = [];
  const sender = new SpanSender({
    endpoint,
    connect: async (address) => otlpExporter(address, "1.2.3"),
    warn: (message) => warnings.push(message),
  });
  return { sender, warnings };
}

describe("the export of spans", () => {
  let server: Collector;
  beforeEach(async () => {
    server = await collector();
  });
  afterEach(() => server.close());

  it("sends a run to the collector in OTLP's JSON", async () => {
    const { sender, warnings } = senderTo(() => server.endpoint);
    sender.send([span(1)], { isLast: false });
    assert.equal(server.received.length, 0);
    sender.send([span(0)], { isLast: true });
    await sender.settled();
    await sender.dispose();
    assert.deepEqual(warnings, []);
    assert.equal(server.received.length, 1);
    const { path, type, body } = server.received[0] ?? assert.fail("nothing arrived");
    assert.deepEqual([path, type], ["/v1/traces", "application/json"]);
    const [resource] = JSON.parse(body).resourceSpans;
    assert.deepEqual(resource.resource.attributes[0], { key: "service.name", value: { stringValue: "arbor" } });
    const [child, root] = resource.scopeSpans[0].spans;
    assert.deepEqual(
      [child.name, child.traceId, child.spanId, child.parentSpanId, child.kind, child.status.code],
      ["span 1", "a".repeat(32), "0000000000000001", "0".repeat(16), 3, 2],
    );
    assert.deepEqual([child.startTimeUnixNano, child.endTimeUnixNano], ["1700000000123000000", "1700000001000000000"]);
    assert.deepEqual(child.attributes[0], { key: "gen_ai.usage.input_tokens", value: { intValue: 7 } });
    assert.deepEqual([root.parentSpanId, root.kind], [undefined, 1]);
  });

  it("takes an address with a path as it is", async () => {
    const { sender } = senderTo(() => `${server.endpoint}/collect/here`);
    sender.send([span(0)], { isLast: true });
    await sender.settled();
    assert.equal(server.received[0]?.path, "/collect/here");
  });

  it("warns once of a collector that refuses, and again only after it had worked", async () => {
    server.status = 400;
    const { sender, warnings } = senderTo(() => server.endpoint);
    const send = async () => {
      sender.send([span(0)], { isLast: true });
      await sender.settled();
    };
    await send();
    await send();
    assert.equal(warnings.length, 1);
    server.status = 200;
    await send();
    server.status = 400;
    await send();
    assert.equal(warnings.length, 2);
  });

  it("sends nothing without an address", async () => {
    const { sender } = senderTo(() => "");
    sender.send([span(0)], { isLast: true });
    await sender.settled();
    assert.deepEqual(server.received, []);
  });

  it("keeps no more than it may while the collector is slow, and says so once", async () => {
    const gate = Promise.withResolvers<void>();
    const exported: number[] = [];
    const warnings: string[] = [];
    const sender = new SpanSender({
      endpoint: () => "http://slow",
      connect: async () => ({
        export: async (spans) => {
          await gate.promise;
          exported.push(spans.length);
        },
        shutdown: async () => {},
      }),
      warn: (message) => warnings.push(message),
    });
    const spans = Array.from({ length: 1_000 }, (_, index) => span(index));
    for (let run = 0; run < 6; run++) sender.send(spans, { isLast: true });
    gate.resolve();
    await sender.settled();
    assert.ok(exported.reduce((sum, count) => sum + count, 0) <= 2_048 + 512);
    assert.equal(warnings.length, 1);
  });
});
