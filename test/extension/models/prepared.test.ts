import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { timeLimitMs } from "../../support/soak.ts";

const source = (path: string) => JSON.stringify(new URL(`../../../src/${path}`, import.meta.url).href);

/** Notes each module that is loaded, in a process of its own: here most are loaded already. */
const script = (wire: string) => `
  import { createServer } from "node:http";
  import { registerHooks } from "node:module";
  let requests = 0;
  const server = createServer((_, response) => {
    requests += 1;
    response.writeHead(401).end("{}");
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const loaded = [];
  registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context); } });
  const { createModelAccess } = await import(${source("extension/models/modelAccess.ts")});
  const provider = { type: "${wire}", baseUrl: "http://127.0.0.1:" + server.address().port, models: [] };
  const settings = { model: "lab/any", subAgentModel: "", providers: { lab: provider }, limits: {} };
  const keys = { get: async () => undefined, headers: async () => ({ ok: true, headers: {} }) };
  const access = createModelAccess({ settings: () => settings, keys, pace: async () => {} });
  const atStart = loaded.filter((url) => url.includes("/node_modules/"));
  const fetchOfEditor = globalThis.fetch;
  const fetched = [];
  globalThis.fetch = (address, ...rest) => (fetched.push(String(address)), fetchOfEditor(address, ...rest));
  await access.prepare();
  globalThis.fetch = fetchOfEditor;
  const before = loaded.length;
  const early = { fetched, requests };
  const request = { systemPrompt: "", messages: [], tools: [] };
  let end;
  for await (const event of access.streamFn(access.mainModel(), request, { signal: AbortSignal.timeout(10_000) })) end = event;
  console.log(JSON.stringify({ atStart, prepared: before, later: loaded.slice(before), end: end?.type, early }));
  process.exit();
`;

describe("a model that is prepared while the user types", function () {
  this.timeout(timeLimitMs(60_000));
  for (const [wire, sdk] of [
    ["anthropic", "@anthropic-ai/sdk"],
    ["openai-chat", "openai"],
  ] as const) {
    it(`leaves nothing to be loaded by the first request: ${wire}`, async () => {
      const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script(wire)]);
      const { atStart, later, prepared, end, early } = JSON.parse(stdout);
      assert.deepEqual(
        atStart.filter((url: string) => url.includes(`/node_modules/${sdk}/`)),
        [],
        "not at the start",
      );
      assert.ok(prepared > 0);
      assert.deepEqual(later, []);
      assert.equal(end, "error", "a request was made, and refused");
      // The certificates that the editor's fetch needs, and no server's notice of a user who types.
      assert.deepEqual(early, { fetched: ["data:,"], requests: 0 });
    });
  }
});
