import assert from "node:assert/strict";
import { fetchJson } from "../../../../src/extension/models/catalog/fetchJson.ts";
import { listFaultText } from "../../../../src/extension/models/catalog/listReading.ts";
import { type JsonServer, type Route, startJsonServer } from "../../../support/jsonServer.ts";

describe("asking a server for JSON", () => {
  let server: JsonServer;
  before(async () => {
    server = await startJsonServer();
  });
  after(() => server.stop());

  const never = new AbortController().signal;
  async function ask(route: Route, limits: { timeoutMs?: number; maxBytes?: number; signal?: AbortSignal } = {}) {
    server.routes = { "/x": route };
    return fetchJson({ url: `${server.origin}/x`, signal: never, timeoutMs: 10_000, maxBytes: 1_000, ...limits });
  }
  async function faultOf(route: Route, limits = {}) {
    const answer = await ask(route, limits);
    assert.ok(!answer.ok);
    return answer.fault;
  }

  it("gives the value", async () => {
    assert.deepEqual(await ask({ fine: true }), { ok: true, value: { fine: true } });
  });

  it("distinguishes a web page from other nonsense", async () => {
    assert.deepEqual(await faultOf((response) => response.end("\n<!doctype html><p>Log in")), { type: "webPage" });
    assert.deepEqual(await faultOf((response) => response.end("{ not json")), { type: "malformed" });
    assert.deepEqual(await faultOf((response) => response.end()), { type: "malformed" });
  });

  it("reads JSON of any depth, or says that it can't", async () => {
    const deep = "[".repeat(200_000) + "]".repeat(200_000);
    const answer = await ask((response) => response.end(deep), { maxBytes: 1_000_000 });
    assert.ok(answer.ok || answer.fault.type === "malformed");
  });

  for (const status of [401, 403, 404, 429, 500]) {
    it(`reports status ${status}`, async () => {
      assert.deepEqual(await faultOf((response) => response.writeHead(status).end("sorry")), {
        type: "status",
        status,
      });
    });
  }

  it("does not follow a redirect, which would take the key along", async () => {
    const other = await startJsonServer({ "/stolen": { fine: true } });
    const redirect: Route = (response) => response.writeHead(302, { location: `${other.origin}/stolen` }).end();
    assert.deepEqual(await faultOf(redirect), { type: "redirect" });
    assert.deepEqual(other.requests, []);
    await other.stop();
  });

  it("stops reading at its limit, however much follows", async () => {
    let isClosed: (() => void) | undefined;
    const closed = new Promise<void>((resolve) => {
      isClosed = resolve;
    });
    const endless: Route = (response) => {
      response.on("close", () => isClosed?.());
      const more = () => {
        while (response.write(" ".repeat(10_000)));
        response.once("drain", more);
      };
      more();
    };
    assert.deepEqual(await faultOf(endless), { type: "tooLarge", maxBytes: 1_000 });
    await closed;
  });

  it("does not wait longer than its limit, for an answer or for its end", async () => {
    const limits = { timeoutMs: 50 };
    assert.deepEqual(await faultOf(() => {}, limits), { type: "timeout", timeoutMs: 50 });
    assert.deepEqual(await faultOf((response) => response.write("{"), limits), { type: "timeout", timeoutMs: 50 });
  });

  it("is ended by its signal", async () => {
    const controller = new AbortController();
    const stop: Route = () => controller.abort();
    assert.deepEqual(await faultOf(stop, { signal: controller.signal }), { type: "aborted" });
  });

  it("says what keeps it from the server", async () => {
    const gone = await startJsonServer();
    await gone.stop();
    const answer = await fetchJson({ url: gone.origin, signal: never, timeoutMs: 10_000, maxBytes: 1_000 });
    assert.ok(!answer.ok && answer.fault.type === "unreachable");
    assert.match(answer.fault.message, /ECONNREFUSED|refused/);
  });

  it("puts each fault into a sentence that says what to do, without the server's words", () => {
    const about = { label: "Lab", host: "lab.test" };
    const text = (fault: Parameters<typeof listFaultText>[0]) => listFaultText(fault, about);
    assert.match(text({ type: "noKey" }), /^Lab needs an API key.*set one\.$/);
    assert.match(text({ type: "status", status: 401 }), /rejected the API key\. Set/);
    assert.match(text({ type: "status", status: 404 }), /lab\.test has no list.*name the model yourself/);
    assert.match(text({ type: "unreachable", message: "getaddrinfo" }), /lab\.test \(getaddrinfo\)\. Check/);
    assert.match(text({ type: "timeout", timeoutMs: 15_000 }), /within 15 s/);
    assert.match(text({ type: "webPage" }), /web page/);
    assert.match(text({ type: "tooLarge", maxBytes: 16_000_000 }), /16 MB/);
  });
});
