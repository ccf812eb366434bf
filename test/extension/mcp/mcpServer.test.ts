import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { ToolError, UserError } from "../../../src/extension/common/userError.ts";
import type { McpServer } from "../../../src/extension/mcp/mcpServer.ts";
import { readProcesses } from "../../../src/extension/terminal/processTable.ts";
import { inGerman } from "../../support/inGerman.ts";
import { hostileHttp } from "./support/hostileHttp.ts";
import { hostile, regular, TestServers } from "./support/servers.ts";

const servers = new TestServers();
const { signal } = new AbortController();
const call = (server: McpServer, tool: string, args: Record<string, unknown> = {}) =>
  server.callTool(tool, args, { signal });
const textOf = ({ content }: { content: { type: string; text?: string }[] }) =>
  content.map(({ text = "" }) => text).join("\n");
const isRunning = (pid: number) => readProcesses().some((row) => row.pid === pid);

async function until(condition: () => boolean, ms = 10_000): Promise<void> {
  for (const end = Date.now() + ms; !condition(); await delay(20)) assert.ok(Date.now() < end, "it never came to that");
}

describe("An MCP server over stdio", () => {
  afterEach(() => servers.dispose());

  it("offers its tools, prompts and resources once it runs", async () => {
    const states: string[] = [];
    const server = servers.create(regular(), { onChange: () => states.push(server.state.type) });
    await server.start(signal);
    assert.ok(server.offers.tools.some(({ name }) => name === "echo"));
    assert.deepEqual([server.offers.prompts[0]?.name, server.offers.resources[0]?.uri], ["greet", "note://1"]);
    assert.deepEqual(states, ["starting", "running"]);
  });

  it("starts with its first call, once for several calls", async () => {
    const server = servers.create(regular());
    const results = await Promise.all(["a", "b", "c"].map((text) => call(server, "echo", { text })));
    assert.deepEqual(results.map(textOf), ["You said: a", "You said: b", "You said: c"]);
  });

  it("gets no keys of model providers, and the variables of its definition", async () => {
    process.env.MY_MODEL_SECRET = "1";
    process.env.OPENAI_API_KEY = "2";
    try {
      const server = servers.create({ ...regular(), env: { OWN: "3", PATH: process.env.PATH } });
      const environment = JSON.parse(textOf(await call(server, "environment")));
      assert.deepEqual(
        [environment.MY_MODEL_SECRET, environment.OPENAI_API_KEY, environment.OWN],
        [undefined, undefined, "3"],
      );
    } finally {
      delete process.env.MY_MODEL_SECRET;
      delete process.env.OPENAI_API_KEY;
    }
  });

  it("reports progress", async () => {
    const server = servers.create(regular());
    const reported: (string | undefined)[] = [];
    const stop = new AbortController();
    const onProgress = ({ message }: { message?: string | undefined }) => {
      if (reported.push(message) === 3) stop.abort();
    };
    await assert.rejects(server.callTool("slow", {}, { signal: stop.signal, onProgress }));
    assert.deepEqual(reported.slice(0, 3), ["step 1", "step 2", "step 3"]);
  });

  it("is notified of a canceled call, and goes on", async () => {
    const server = servers.create(regular());
    await server.start(signal);
    await assert.rejects(server.callTool("slow", {}, { signal: AbortSignal.timeout(200) }));
    await until(() => server.log.lines.includes("slow was canceled"));
    assert.equal(textOf(await call(server, "echo", { text: "on" })), "You said: on");
  });

  it("may offer other tools while it runs", async () => {
    const server = servers.create(regular());
    await call(server, "grow");
    await until(() => server.offers.tools.some(({ name }) => name === "grown"));
  });

  it("ends with all that it spawned, also what made itself independent", async () => {
    const server = servers.create(regular());
    const pid = Number(textOf(await call(server, "spawn")));
    assert.ok(isRunning(pid));
    await server.stop();
    assert.ok(!isRunning(pid));
    assert.equal(server.state.type, "stopped");
  });

  it("ends at once when the window does", async () => {
    const server = servers.create(regular());
    const pid = Number(textOf(await call(server, "spawn")));
    server.dispose();
    await until(() => !isRunning(pid));
  });

  it("that is just starting ends at once with the window, and is not started again", async () => {
    const mark = randomUUID();
    // It neither answers nor heeds the end of its input.
    const server = servers.create({ command: "sleep", args: ["600"], env: { ARBOR_TEST_MARK: mark } });
    const own = () => readProcesses().filter((row) => row.hasInEnvironment(mark));
    const starting = assert.rejects(server.start(signal));
    await until(() => own().length > 0);
    server.dispose();
    await until(() => own().length === 0, 500);
    await starting;
    await assert.rejects(call(server, "echo", { text: "late" }), /was removed/);
    assert.deepEqual(own(), []);
  });

  it("that ignores the signal to end is killed", async () => {
    const server = servers.create(hostile("stubborn"));
    await server.start(signal);
    await server.stop();
    assert.equal(server.state.type, "stopped");
  });

  it("that crashes in a call fails the call, and is started again by the next", async () => {
    const server = servers.create(regular());
    await assert.rejects(call(server, "crash"), ToolError);
    assert.equal(server.state.type, "failed");
    assert.ok(server.isStartable);
    assert.ok(server.offers.tools.length > 0, "models see the same tools");
    assert.equal(textOf(await call(server, "echo", { text: "again" })), "You said: again");
  });

  it("can be restarted", async () => {
    const server = servers.create(regular());
    await server.start(signal);
    await server.restart(signal);
    assert.equal(server.state.type, "running");
  });

  it("that is stopped while it starts does not run", async () => {
    const server = servers.create(hostile("silent"));
    const starting = assert.rejects(server.start(signal));
    await delay(100);
    await server.stop();
    await starting;
    assert.equal(server.state.type, "stopped");
  });

  it("that does not exist is an error that names it", async () => {
    const server = servers.create({ command: "/nowhere/server" });
    await assert.rejects(server.start(signal), (error) => error instanceof UserError && /ENOENT/.test(error.message));
    assert.equal(server.state.type, "failed");
    assert.ok(!server.isStartable, "a message does not wait for it again");
  });

  it("that exits at once is an error with what it wrote", async () => {
    const server = servers.create(hostile("exit"));
    await assert.rejects(
      server.start(signal),
      /MCP server test could not be started: No license found\. The server exited with code 7\.$/,
    );
  });

  it("that is silent is an error after its time", async () => {
    const server = servers.create(hostile("silent"), { startTimeoutMs: 300 });
    await assert.rejects(server.start(signal), UserError);
    // As the list of servers shows it.
    const { state } = server;
    assert.equal(state.type === "failed" && state.message, "It does not answer.");
  });

  it("that can't be started says so to the user in the user's language, and to the model in English", async () => {
    const silent = servers.create(hostile("silent"), { startTimeoutMs: 300 });
    const failure: unknown = await inGerman(() => silent.start(signal).catch((error) => error));
    assert.ok(failure instanceof UserError);
    assert.match(failure.message, /konnte nicht gestartet werden: Er antwortet nicht\./);
    assert.equal(failure.forModel, "The MCP server test could not be started: It does not answer.");
  });

  it("works through 2,000 lines that are no messages, which the log has", async () => {
    const server = servers.create(hostile("garbage"));
    assert.equal(textOf(await call(server, "work")), "ok");
    assert.ok(server.log.lines.some((line) => line.startsWith("Not a message: garbage")));
  });

  it("works through 2,000 garbled messages, also in the middle of calls", async () => {
    const server = servers.create(hostile("garbled"));
    await server.start(signal);
    const [own] = readProcesses().filter(({ parent }) => parent === process.pid);
    for (let round = 0; round < 20; round++) assert.equal(textOf(await call(server, "work")), "ok", `round ${round}`);
    assert.equal(server.state.type, "running");
    assert.ok(isRunning(own?.pid ?? 0), "it was not started again");
    assert.deepEqual(
      server.offers.tools.map(({ name }) => name),
      ["work"],
    );
    assert.ok(server.log.lines.some((line) => line.startsWith("Not a message: ")));
    assert.ok(server.log.lines.length <= 2_000);
  });

  it("that floods its error output loses old lines of the log only", async () => {
    const server = servers.create(hostile("flood"));
    assert.equal(textOf(await call(server, "work")), "ok");
    await until(() => server.log.lines.includes("noise 49999"));
    assert.ok(server.log.lines.length <= 2_000);
  });

  it("may answer a call with 10 MB", async () => {
    const result = await call(servers.create(hostile("big")), "work");
    assert.match(textOf(result), /the end$/);
  });

  it("that answers with more than can be held fails the call and goes on", async () => {
    const server = servers.create(hostile("too-big"));
    await assert.rejects(call(server, "work"), /The answer has 48 MB, which is too long/);
    assert.equal(server.state.type, "running");
    assert.ok(server.log.lines.includes("A message of 48 MB was dropped."));
  });

  it("that dies in a call, answers nonsense, or never, fails the call", async () => {
    await assert.rejects(call(servers.create(hostile("die")), "work"), ToolError);
    await assert.rejects(call(servers.create(hostile("nonsense")), "work"), ToolError);
    await assert.rejects(call(servers.create(hostile("hang"), { callTimeoutMs: 300 }), "work"), ToolError);
  });

  it("that answers twice is believed once", async () => {
    const server = servers.create(hostile("twice"));
    assert.equal(textOf(await call(server, "work")), "first");
    assert.equal(textOf(await call(server, "work")), "first");
  });

  it("that offers thousands of tools has a thousand of them", async () => {
    const server = servers.create(hostile("endless"));
    await server.start(signal);
    assert.equal(server.offers.tools.length, 1_000);
  });
});

describe("An MCP server over HTTP", () => {
  afterEach(() => servers.dispose());

  it("is called like another", async () => {
    const server = servers.create({ url: await servers.http() });
    assert.equal(textOf(await call(server, "echo", { text: "web" })), "You said: web");
    assert.equal(server.offers.prompts[0]?.name, "greet");
  });

  it("gets the headers of its definition", async () => {
    const url = await servers.http("locked");
    await assert.rejects(servers.create({ url }).start(signal), UserError);
    await servers.create({ url, headers: { Authorization: "Bearer secret" } }).start(signal);
  });

  it("that redirects to another origin is not followed: nothing is sent there, and the user learns why", async () => {
    const elsewhere = await hostileHttp("ok");
    const { url, dispose } = await hostileHttp("redirect", elsewhere.url);
    try {
      const server = servers.create({ url, headers: { "X-Key": "secret" } });
      await assert.rejects(server.start(signal), UserError);
      const { state } = server;
      assert.match(state.type === "failed" ? state.message : "", /redirect/i);
      assert.deepEqual(elsewhere.requests, []);
    } finally {
      dispose();
      elsewhere.dispose();
    }
  });

  it("that redirects a call is not followed either", async () => {
    const elsewhere = await hostileHttp("ok");
    const { url, dispose } = await hostileHttp("redirect-call", elsewhere.url);
    try {
      const server = servers.create({ url, headers: { "X-Key": "secret" } });
      await server.start(signal);
      await assert.rejects(call(server, "work"), /redirect/i);
      assert.deepEqual(elsewhere.requests, []);
    } finally {
      dispose();
      elsewhere.dispose();
    }
  });

  it("that never answers at its start is an error after its time", async () => {
    const { url, dispose } = await hostileHttp("hang");
    try {
      const server = servers.create({ url }, { startTimeoutMs: 300 });
      await assert.rejects(server.start(signal), UserError);
      const { state } = server;
      assert.equal(state.type === "failed" && state.message, "It does not answer.");
    } finally {
      dispose();
    }
  });

  for (const [way, reason] of [
    ["json", /more than 16 MB at once/],
    ["stream", /more than 16 MB at once/],
    ["none", /ended its answer without a result/],
  ] as const) {
    it(`that answers with ${way === "none" ? "nothing" : `50 MB as ${way}`} fails the call at once and goes on`, async () => {
      const { url, dispose } = await hostileHttp(`big-${way}`);
      try {
        const server = servers.create({ url });
        await server.start(signal);
        await assert.rejects(call(server, "work"), reason);
        assert.equal(server.state.type, "running");
        assert.equal(textOf(await call(server, "work")), "ok");
      } finally {
        dispose();
      }
    });
  }

  it("works through 2,000 garbled messages in its streams", async () => {
    const { url, dispose } = await hostileHttp("garbled");
    try {
      const server = servers.create({ url });
      await server.start(signal);
      for (let round = 0; round < 20; round++) assert.equal(textOf(await call(server, "work")), "ok", `round ${round}`);
      assert.equal(server.state.type, "running");
      assert.ok(server.log.lines.length <= 2_000);
    } finally {
      dispose();
    }
  });

  it("at an address without a server is an error", async () => {
    await assert.rejects(servers.create({ url: "http://127.0.0.1:9/mcp" }).start(signal), UserError);
  });
});
